S She go home .
A 1 2|||R:VERB|||goes|||REQUIRED|||-NONE-|||0
A 3 9|||R:NOUN|||house|||REQUIRED|||-NONE-|||0
A 1 2|||R:VERB|||goes
