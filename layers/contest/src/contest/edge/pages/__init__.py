"""Reports as pages to read and to print: headings, tables and charts, without scripts."""
