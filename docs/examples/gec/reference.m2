S She go to school yesterday .
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB:TENSE|||went|||REQUIRED|||-NONE-|||1
A 2 2|||M:ADV|||back|||REQUIRED|||-NONE-|||1

S There is many reason for it .
A 1 2|||R:VERB:SVA|||are|||REQUIRED|||-NONE-|||0
A 3 4|||R:NOUN:NUM|||reasons|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S The the book is mine .
A 0 1|||U:DET||||||REQUIRED|||-NONE-|||0
A 0 2|||R:DET|||The|||REQUIRED|||-NONE-|||1
