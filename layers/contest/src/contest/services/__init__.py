"""The use cases, one module each: ports in, domain decides, ports out. No AWS, no HTTP, no clock of their own."""
