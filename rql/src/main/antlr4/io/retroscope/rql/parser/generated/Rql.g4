/*
 * RQL. The reference for people is docs/rql/reference.md.
 *
 * Two habits keep the error messages good. Alternatives are left-factored, so that a wrong word is
 * noticed at itself. And what people write although it is refused (chained comparisons, clauses
 * given twice, AND to the right of :=) is let through here, so that AstBuilder can refuse it with a
 * remedy at its exact place.
 */
grammar Rql;

options {
    caseInsensitive = true;
}

singleStatement
    : statement EOF
    ;

statement
    : explain? query                                          #queryStatement
    | explain? verdict                                        #verdictStatement
    | EXPLAIN CUT timePoint (FOR element=STRING)? OF (query | verdict) (DEPTH INTEGER)?  #explainCut
    | EXPLAIN EPISODE episode=STRING (DEPTH INTEGER)?         #explainEpisode
    | SHOW subject=(LOGS | NODES | ALIGNMENT | QUERIES | ALERTS)  #show
    | SHOW VARIABLES (FROM log=name)? (LIKE pattern=STRING)?  #showVariables
    | DESCRIBE log=name                                       #describe
    | FORGET NODE node=nodeName                               #forget
    | KILL QUERY id=INTEGER                                   #killQuery
    | CREATE (OR REPLACE)? kind=(RULE | ALERT) ruleName=name settings?
      AS LPAREN (query | verdict) RPAREN                      #createRule
    | action=(DESCRIBE | DROP) ALERT alert=name               #alertByName
    | ACKNOWLEDGE ALERT alert=name (FOR element=STRING)?      #acknowledge
    | MUTE ALERT alert=name FOR DURATION                      #mute
    | DECLARE variable=name type=name? IN log=name            #declare
    | expression                                              #evaluate
    ;

explain
    : EXPLAIN ANALYZE?
    ;

settings
    : WITH LPAREN setting (COMMA setting)* RPAREN
    ;

setting
    : key+=anyName (DOT key+=anyName)? EQUAL value=(STRING | DURATION)
    ;

query
    : SELECT STREAM? items FROM source
    ;

verdict
    : kind=(NEVER | ALWAYS | EVENTUALLY | SOMETIMES) expression (FOR DURATION)? response*
      FROM logs+=name (COMMA logs+=name)* clause*                     #claim
    | NEVER LPAREN query RPAREN                                       #neverAnyRow
    | modality=(POSSIBLY | DEFINITELY) expression (FOR DURATION)?
      FROM logs+=name (COMMA logs+=name)* clause*                     #detection
    ;

source
    : logs+=name (COMMA logs+=name)* clause*                          #logSource
    | LPAREN query RPAREN (AS? alias=rowsAlias)? rowClause*           #rowSource
    ;

// Without AS, only words that cannot begin a clause.
rowsAlias
    : IDENTIFIER
    | QUOTED_IDENTIFIER
    ;

rowClause
    : WHERE expression                             #whereClause
    | GROUP BY expression (COMMA expression)*      #groupClause
    | ORDER BY sortKey (COMMA sortKey)*            #orderClause
    | clause                                       #cutClause
    ;

sortKey
    : expression direction=(ASC | DESC)? (NULLS nulls=(FIRST | LAST))?
    ;

items
    : STAR                 #allItems
    | item (COMMA item)*   #listedItems
    ;

item
    : expression (AS alias=anyName)?
    ;

clause
    : FOR (forEach | DURATION)              #forClause
    | COMPUTE expression                    #computeClause
    | WHEN expression                       #whenClause
    | response                              #responseClause
    | AT nodeScope                          #atClause
    | ON (TIME timeSpan | ERROR SKIP_WORD)  #onClause
    | EMIT what=(CUTS | INTERVALS | EDGES)  #emitClause
    | LIMIT INTEGER                         #limitClause
    | PLAY instrument soundPart*            #playClause
    ;

// What must come after WHEN has become TRUE, or have come before.
response
    : NOT? (THEN | AFTER) expected=expression (WITHIN DURATION)? (UNLESS excuse=expression)?
    ;

forEach
    : EACH eachOf
    ;

eachOf
    : VARIABLE variable=name (LIKE pattern=STRING)?  #eachVariable
    | NODE element=name                              #eachNode
    | VALUE element=name IN collection=additive      #eachValue
    ;

nodeScope
    : NODES nodes+=nodeName (COMMA nodes+=nodeName)*  #listedNodes
    | ALL_NODES                                       #allNodes
    | LIVE NODES                                      #liveNodes
    ;

timeSpan
    : LAST DURATION                          #lastSpan
    | start=timePoint (TO stop=timePoint)?   #pointSpan
    ;

timePoint
    : STRING                 #isoPoint
    | INTEGER                #millisPoint
    | HLC                    #hlcPoint
    | NOW (MINUS DURATION)?  #nowPoint
    ;

instrument
    : name
    | STRING
    ;

soundPart
    : AS layer=(BACKGROUND | MARK | ALARM)                                          #layerPart
    | EACH node=name IN NODES COLON LPAREN body=expression RPAREN                   #eachPart
    | LEVEL expression (STEPS LBRACE steps+=number (COMMA steps+=number)* RBRACE)?  #levelPart
    | NOTE expression                                                               #notePart
    | SCALE scale=(PENTATONIC | MAJOR | MINOR | CHROMATIC)                          #scalePart
    | VELOCITY expression                                                           #velocityPart
    | LENGTH DURATION                                                               #lengthPart
    | PAN expression                                                                #panPart
    | PLACE node=name                                                               #placePart
    | FOLLOW expression RANGE low=number TO high=number                             #followPart
    | EVERY DURATION                                                                #everyPart
    ;

number
    : MINUS? magnitude=(INTEGER | DOUBLE)
    ;

// ---- expressions, in the order of increasing precedence ----

// After x := c, the tail belongs to c. A rule for this would be ambiguous; see ExpressionBuilder.
expression
    : disjunction conditionalTail*
    ;

conditionalTail
    : QUESTION LPAREN whenTrue=expression RPAREN COLON LPAREN otherwise=expression RPAREN
    ;

disjunction
    : conjunction ((OR | BAR_BAR) conjunction)*
    ;

conjunction
    : conjunct ((AND | AMP_AMP) conjunct)*
    ;

conjunct
    : negation (ASSIGN assigned)?
    ;

assigned
    : negation (ASSIGN assigned)?
    ;

negation
    : logicalNot
    | comparison
    ;

logicalNot
    : (NOT | BANG) negation
    ;

comparison
    : additive comparisonTail*
    ;

comparisonTail
    : comparator right=additive  #operatorTail
    | IS NOT? NULL               #nullTail
    ;

comparator
    : EQUAL
    | EQUAL_EQUAL
    | NOT_EQUAL
    | LESS_GREATER
    | LESS
    | LESS_OR_EQUAL
    | GREATER
    | GREATER_OR_EQUAL
    | NOT? IN
    | NOTIN
    | ISSUBSET
    | ISPROPSUBSET
    | LIKE
    | CONTAINS
    ;

additive
    : operands+=multiplicative
      (operators+=(PLUS | MINUS | BACKSLASH | UNION | INTERSECT) operands+=multiplicative)*
    ;

multiplicative
    : operands+=range (operators+=(STAR | SLASH | PERCENT) operands+=range)*
    ;

range
    : signed (DOT_DOT signed)*
    ;

signed
    : minus
    | postfix
    ;

minus
    : MINUS signed
    ;

postfix
    : primary suffix*
    ;

suffix
    : DOT field=anyName     #fieldSuffix
    | AT_SIGN nodeReference #nodeSuffix
    ;

nodeReference
    : nodeName                  #namedNode
    | LPAREN expression RPAREN  #computedNode
    ;

primary
    : literal                                            #literalPrimary
    | TIMESTAMP STRING                                   #timestampPrimary
    | plainName arguments?                               #namePrimary
    | NODES arguments?                                   #nodesPrimary
    | (COUNT | FILTER) (arguments | quantification)?     #countPrimary
    | quantifier=(EXISTS | FORALL | FOREACH) quantification  #quantifiedPrimary
    | kind=(VAR | GLOBAL | OUT) name                     #declaration
    | LBRACE (expression (COMMA expression)*)? RBRACE    #setLiteral
    | LPAREN expression RPAREN                           #parenthesized
    ;

quantification
    : variables+=name (COMMA variables+=name)* IN collection=additive COLON
      LPAREN body=expression RPAREN
    ;

arguments
    : LPAREN (STAR | DISTINCT? expression (COMMA expression)*)? RPAREN
    ;

literal
    : value=(NULL | TRUE | FALSE | INTEGER | DOUBLE | STRING | DURATION | HLC)
    ;

// ---- names ----

nodeName
    : anyName
    | INTEGER
    ;

anyName
    : name
    | reserved
    ;

name
    : plainName
    | COUNT
    | FILTER
    ;

plainName
    : IDENTIFIER
    | QUOTED_IDENTIFIER
    | EXPLAIN | ANALYZE | EACH | VARIABLE | ALL_NODES | LIVE | TIME | TO | LAST | NOW
    | CUTS | INTERVALS | EDGES | ERROR | SKIP_WORD | NOTE | VELOCITY | LENGTH
    | SHOW | LOGS | ALIGNMENT | QUERIES | VARIABLES | DESCRIBE
    | FORGET | NODE
    | KILL | QUERY
    | BACKGROUND | MARK | ALARM | LEVEL | STEPS | SCALE | PENTATONIC | MAJOR | MINOR | CHROMATIC
    | PAN | PLACE | FOLLOW | RANGE | EVERY
    | TIMESTAMP
    | WHERE | GROUP | ORDER | BY | ASC | DESC | NULLS | FIRST
    | NEVER | ALWAYS | EVENTUALLY | SOMETIMES | CREATE | REPLACE | RULE | DECLARE
    | THEN | AFTER | WITHIN | UNLESS | VALUE
    | POSSIBLY | DEFINITELY
    | CUT | OF | EPISODE | DEPTH
    | ALERT | ALERTS | WITH | DROP | ACKNOWLEDGE | MUTE
    ;

reserved
    : SELECT | STREAM | FROM | FOR | COMPUTE | WHEN | AT | ON | EMIT | LIMIT | PLAY | AS
    | AND | OR | NOT | IN | NOTIN | EXISTS | FORALL | FOREACH | UNION | INTERSECT
    | ISSUBSET | ISPROPSUBSET | LIKE | CONTAINS | DISTINCT | IS | NULL | TRUE | FALSE
    | NODES | VAR | GLOBAL | OUT
    ;

// ---- reserved words ----

SELECT: 'SELECT';
STREAM: 'STREAM';
FROM: 'FROM';
FOR: 'FOR';
COMPUTE: 'COMPUTE';
WHEN: 'WHEN';
AT: 'AT';
ON: 'ON';
EMIT: 'EMIT';
LIMIT: 'LIMIT';
PLAY: 'PLAY';
AS: 'AS';
AND: 'AND';
OR: 'OR';
NOT: 'NOT';
IN: 'IN';
NOTIN: 'NOTIN';
EXISTS: 'EXISTS';
FORALL: 'FORALL';
FOREACH: 'FOREACH';
UNION: 'UNION';
INTERSECT: 'INTERSECT';
ISSUBSET: 'ISSUBSET';
ISPROPSUBSET: 'ISPROPSUBSET';
LIKE: 'LIKE';
CONTAINS: 'CONTAINS';
DISTINCT: 'DISTINCT';
IS: 'IS';
NULL: 'NULL';
TRUE: 'TRUE';
FALSE: 'FALSE';
NODES: 'NODES';
VAR: 'VAR';
GLOBAL: 'GLOBAL';
OUT: 'OUT';

// ---- words that are keywords only in certain places ----

EXPLAIN: 'EXPLAIN';
ANALYZE: 'ANALYZE';
EACH: 'EACH';
VARIABLE: 'VARIABLE';
ALL_NODES: 'ALL_NODES';
LIVE: 'LIVE';
TIME: 'TIME';
TO: 'TO';
LAST: 'LAST';
NOW: 'NOW';
CUTS: 'CUTS';
INTERVALS: 'INTERVALS';
EDGES: 'EDGES';
ERROR: 'ERROR';
SKIP_WORD: 'SKIP';
NOTE: 'NOTE';
VELOCITY: 'VELOCITY';
LENGTH: 'LENGTH';
SHOW: 'SHOW';
LOGS: 'LOGS';
ALIGNMENT: 'ALIGNMENT';
QUERIES: 'QUERIES';
VARIABLES: 'VARIABLES';
DESCRIBE: 'DESCRIBE';
FORGET: 'FORGET';
NODE: 'NODE';
KILL: 'KILL';
QUERY: 'QUERY';
BACKGROUND: 'BACKGROUND';
MARK: 'MARK';
ALARM: 'ALARM';
LEVEL: 'LEVEL';
STEPS: 'STEPS';
SCALE: 'SCALE';
PENTATONIC: 'PENTATONIC';
MAJOR: 'MAJOR';
MINOR: 'MINOR';
CHROMATIC: 'CHROMATIC';
PAN: 'PAN';
PLACE: 'PLACE';
FOLLOW: 'FOLLOW';
RANGE: 'RANGE';
EVERY: 'EVERY';
COUNT: 'COUNT';
FILTER: 'FILTER';
TIMESTAMP: 'TIMESTAMP';
WHERE: 'WHERE';
GROUP: 'GROUP';
ORDER: 'ORDER';
BY: 'BY';
ASC: 'ASC';
DESC: 'DESC';
NULLS: 'NULLS';
FIRST: 'FIRST';
NEVER: 'NEVER';
ALWAYS: 'ALWAYS';
EVENTUALLY: 'EVENTUALLY';
SOMETIMES: 'SOMETIMES';
CREATE: 'CREATE';
DECLARE: 'DECLARE';
REPLACE: 'REPLACE';
RULE: 'RULE';
THEN: 'THEN';
AFTER: 'AFTER';
WITHIN: 'WITHIN';
UNLESS: 'UNLESS';
VALUE: 'VALUE';
POSSIBLY: 'POSSIBLY';
DEFINITELY: 'DEFINITELY';
CUT: 'CUT';
OF: 'OF';
EPISODE: 'EPISODE';
DEPTH: 'DEPTH';
ALERT: 'ALERT';
ALERTS: 'ALERTS';
WITH: 'WITH';
DROP: 'DROP';
ACKNOWLEDGE: 'ACKNOWLEDGE';
MUTE: 'MUTE';

// ---- punctuation ----

SEMICOLON: ';';
COMMA: ',';
COLON: ':';
ASSIGN: ':=';
QUESTION: '?';
LPAREN: '(';
RPAREN: ')';
LBRACE: '{';
RBRACE: '}';
DOT_DOT: '..';
DOT: '.';
AT_SIGN: '@';
BAR_BAR: '||';
AMP_AMP: '&&';
EQUAL_EQUAL: '==';
EQUAL: '=';
NOT_EQUAL: '!=';
LESS_GREATER: '<>';
LESS_OR_EQUAL: '<=';
LESS: '<';
GREATER_OR_EQUAL: '>=';
GREATER: '>';
BANG: '!';
PLUS: '+';
MINUS: '-';
STAR: '*';
SLASH: '/';
PERCENT: '%';
BACKSLASH: '\\';

// ---- literals; a dot is part of a number only before a digit, so that 10..20 is a range ----

INTEGER: DIGIT+;
DOUBLE: DIGIT* '.' DIGIT+ EXPONENT? | DIGIT+ EXPONENT;
DURATION options { caseInsensitive = false; }: DIGIT+ ('us' | 'ms' | 's' | 'm' | 'h' | 'd');
HLC: 'HLC\'' ~'\''* '\'';
STRING: '\'' ('\'\'' | '\\' . | ~['\\])* '\'' | '"' ('""' | '\\' . | ~["\\])* '"';
QUOTED_IDENTIFIER: '`' ('``' | ~'`')* '`';
IDENTIFIER options { caseInsensitive = false; }: NAME_START NAME_PART*;

LINE_COMMENT: ('#' | '--' [ \t\f\u00A0]) ~[\r\n]* -> channel(HIDDEN);
DASHES_AT_LINE_END: '--' ([\r\n] | EOF) -> type(LINE_COMMENT), channel(HIDDEN);
BLOCK_COMMENT: '/*' .*? '*/' -> channel(HIDDEN);
BLANK: [ \t\r\n\f\u00A0]+ -> channel(HIDDEN);

// ---- invalid tokens, each with its own message ----

MALFORMED_NUMBER options { caseInsensitive = false; }
    : [0-9]+ ('.' [0-9]+)? NAME_START NAME_PART*
    ;
UNTERMINATED_STRING: '\'' ('\'\'' | '\\' . | ~['\\])* | '"' ('""' | '\\' . | ~["\\])*;
UNTERMINATED_IDENTIFIER: '`' ~'`'*;
UNTERMINATED_COMMENT: '/*' (~'*' | '*'+ ~[*/])* '*'*;
UNEXPECTED_CHARACTER: .;

fragment DIGIT: [0-9];
fragment EXPONENT: 'E' [+-]? DIGIT+;
fragment NAME_START options { caseInsensitive = false; }: [\p{L}_$];
fragment NAME_PART options { caseInsensitive = false; }: [\p{L}\p{Nd}_$];
