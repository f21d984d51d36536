S I walk every day . I meet many people there last week . He was kind .
A 13 14|||R:PRON|||They|||REQUIRED|||-NONE-|||0
A 14 15|||R:VERB:SVA|||were|||REQUIRED|||-NONE-|||0

S I read a book . A book was long .
A 7 8|||R:VERB:TENSE|||is|||REQUIRED|||-NONE-|||0
