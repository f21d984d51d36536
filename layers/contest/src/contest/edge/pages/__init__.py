"""Reports as pages to read and to print: headings, tables, charts, nothing that runs."""
