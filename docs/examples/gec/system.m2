S She go to school yesterday .
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||0

S There is many reason for it .
A 1 2|||R:VERB:SVA|||are|||REQUIRED|||-NONE-|||0
A 2 3|||R:DET|||much|||REQUIRED|||-NONE-|||0

S The the book is mine .
A 0 2|||R:DET|||The|||REQUIRED|||-NONE-|||0
