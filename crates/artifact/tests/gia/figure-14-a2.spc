// tandem: condition automaton, program c86fe6675cff8bc74573e0ea24eee5d9f6879e6f544773f7692f6ec7e3af5f78
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
