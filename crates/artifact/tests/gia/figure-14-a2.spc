// tandem: condition automaton, program 3d721e67d0b9ddf185a1fc562a1af470d935f2f227d2a346bb1ad094c714d251
OBSERVER AUTOMATON AssumptionAutomaton

INITIAL STATE ARG0;

STATE USEFIRST __TRUE :
    TRUE -> GOTO __TRUE;

STATE USEFIRST __FALSE :
    TRUE -> ASSUME {false} GOTO __FALSE;

STATE USEALL ARG0 :
    COVERS_LINES(4) && MATCH "int x = input();" -> GOTO ARG5;
    !(COVERS_LINES(4) && MATCH "int x = input();") -> GOTO __FALSE;

STATE USEALL ARG5 :
    COVERS_LINES(5) && MATCH "[!(x < 5)]" -> GOTO ARG6;
    !(COVERS_LINES(5) && MATCH "[!(x < 5)]") -> GOTO __FALSE;

STATE USEALL ARG6 :
    COVERS_LINES(8) && MATCH "x++;" -> GOTO ARG7;
    !(COVERS_LINES(8) && MATCH "x++;") -> GOTO __FALSE;

STATE USEALL ARG7 :
    COVERS_LINES(9) && MATCH "[x == 5]" -> GOTO __TRUE;
    !(COVERS_LINES(9) && MATCH "[x == 5]") -> GOTO __FALSE;

END AUTOMATON
