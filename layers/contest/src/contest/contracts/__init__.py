"""Wire models: the only source of the API's document. Requests are strict and bounded, answers carry examples."""
