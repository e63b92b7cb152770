/*
 * The syntax of Sluice's SQL. The rules only recognise; src/parser turns their contexts into the AST and makes the checks
 * that need more than syntax. The choices that keep prediction short, so that a query is parsed in one cheap pass:
 *
 *  - Expressions have two left-recursive levels: `expr` (NOT, AND, OR, ?:) and `operand` (arithmetic and everything that
 *    binds tighter); comparisons are a loop between them. BETWEEN's AND can therefore not be mistaken for the operator.
 *  - Names are not parsed as dotted names inside expressions: `a.b` is the postfix `.b` on `a`, and the AST builder joins
 *    them. The same holds for JSON paths: `raw:a.b[1]` is `raw`, PATH_COLON `a`, `.b`, `[1]`.
 *  - A parenthesis that starts with SELECT, WITH or FROM is a query; any other is an expression, possibly followed by set
 *    operators. So `((SELECT 1) UNION ALL SELECT 2)` and `((SELECT 1) + 1)` need no lookahead over their contents.
 *  - A lambda is an operand followed by `->`; that the operand is a list of names is checked by the AST builder.
 *  - Clauses of SELECT are a loop; the AST builder checks their order and that none is repeated.
 *
 * The colon. The token source turns COLON into PATH_COLON where it stands between two names without white space. If a `?`
 * of the same bracket would then lack its colon, the last such PATH_COLON is given back to it. So `raw:a.b` is a JSON path,
 * `c ? raw:a : 0` is a JSON path inside of a ternary and `c ? a:b` is a ternary. Inside of `{name:type}` both are accepted.
 */
parser grammar SluiceParser;

options {
    tokenVocab = SluiceLexer;
}

// ---- Entry points

singleStatement
    : SEMICOLON* (statement | foreignStatement)? SEMICOLON* EOF
    ;

singleQuery
    : query SEMICOLON* EOF
    ;

singleExpression
    : aliasedExpr EOF
    ;

insertTail
    : settingsClause? SEMICOLON* EOF
    ;

statement
    : queryStatement
    | insertStatement
    | createStatement
    | alterStatement
    | dropStatement
    | renameStatement
    | truncateStatement
    | showStatement
    | describeStatement
    | explainStatement
    | existsStatement
    | useStatement
    | setStatement
    | killStatement
    | viewControlStatement
    | systemStatement
    | grantStatement
    | revokeStatement
    | optimizeStatement
    | deleteStatement
    | updateStatement
    | checkStatement
    ;

// Statements of the dialect's relatives that are recognised by their first words only.
foreignStatement
    : IDENTIFIER anyToken*
    | CREATE (OR REPLACE)? foreignObject anyToken*
    | ALTER foreignObject anyToken*
    ;

foreignObject
    : IDENTIFIER
    | DICTIONARY
    | NAMED
    | TASK
    | ALERT
    | DISK
    | QUOTA
    | PROFILE
    | ROW
    | SETTINGS
    | ROLE
    | NULL
    ;

anyToken
    : ~SEMICOLON
    ;

// ---- Queries

queryStatement
    : query outputClause
    ;

outputClause
    : (INTO OUTFILE outfile = STRING)? (FORMAT (format = identifier | nothing = NULL) settingsClause?)?
    ;

query
    : setTerm setTail*
    ;

// A query whose first token is not a parenthesis.
bareQuery
    : selectCore setTail*
    ;

setTail
    : op = (UNION | INTERSECT | EXCEPT) kind = (ALL | DISTINCT)? setTerm
    ;

setTerm
    : selectCore
    | LPAREN query RPAREN settingsClause?
    ;

selectCore
    : withClause? (SELECT selectList fromClause? | fromClause SELECT selectList) selectClause*
    ;

withClause
    : WITH RECURSIVE? cte (COMMA cte)*
    ;

cte
    : identifier columnNames? AS LPAREN query RPAREN # queryCte
    | expr AS identifier                                    # exprCte
    ;

columnNames
    : LPAREN identifier (COMMA identifier)* RPAREN
    ;

selectList
    : (ALL | DISTINCT (ON LPAREN exprList RPAREN)?)? selectItem (COMMA selectItem)* COMMA?
    ;

selectItem
    : expr (AS identifier | implicitAlias)?
    ;

selectClause
    : PREWHERE aliasedExpr                              # prewhereClause
    | WHERE aliasedExpr                                 # whereClause
    | PARTITION BY exprList                             # partitionByClause
    | SHUFFLE BY exprList                               # shuffleByClause
    | GROUP BY groupingElements groupModifier*          # groupByClause
    | HAVING aliasedExpr                                # havingClause
    | WINDOW namedWindow (COMMA namedWindow)*           # windowClause
    | QUALIFY aliasedExpr                               # qualifyClause
    | ORDER BY orderByItems interpolate?                # orderByClause
    | LIMIT first = expr ((COMMA | OFFSET) second = expr)? (BY exprList | WITH TIES)? # limitClause
    | OFFSET first = operand (ROW | ROWS)? fetchClause? # offsetClause
    | fetchClause                                       # onlyFetchClause
    | emitClause                                        # emitSelectClause
    | settingsClause                                    # settingsSelectClause
    ;

fetchClause
    : FETCH (FIRST | NEXT) operand? (ROW | ROWS) (ONLY | WITH TIES)
    ;

groupingElements
    : ALL
    | modifier = (ROLLUP | CUBE) LPAREN exprList RPAREN
    | GROUPING SETS LPAREN groupingSet (COMMA groupingSet)* RPAREN
    | exprList
    ;

groupingSet
    : LPAREN exprList? RPAREN
    | expr
    ;

groupModifier
    : WITH modifier = (ROLLUP | CUBE | TOTALS)
    ;

namedWindow
    : identifier AS windowSpec
    ;

windowSpec
    : LPAREN base = identifier? (PARTITION BY exprList)? (ORDER BY orderItem (COMMA orderItem)*)? windowFrame? RPAREN
    ;

windowFrame
    : unit = (ROWS | RANGE | GROUPS) (BETWEEN frameBound AND frameBound | frameBound)
    ;

frameBound
    : UNBOUNDED direction = (PRECEDING | FOLLOWING)
    | CURRENT ROW
    | operand direction = (PRECEDING | FOLLOWING)
    ;

orderByItems
    : ALL direction = (ASC | ASCENDING | DESC | DESCENDING)? (NULLS nulls = (FIRST | LAST))?
    | orderItem (COMMA orderItem)*
    ;

orderItem
    : aliasedExpr direction = (ASC | ASCENDING | DESC | DESCENDING)? (NULLS nulls = (FIRST | LAST))? (
        COLLATE collate = STRING
    )? fillClause?
    ;

fillClause
    : WITH FILL (FROM begin = operand)? (TO to = operand)? (STEP step = operand)? (STALENESS staleness = operand)?
    ;

interpolate
    : INTERPOLATE (LPAREN (interpolateItem (COMMA interpolateItem)*)? RPAREN)?
    ;

interpolateItem
    : identifier (AS expr)?
    ;

emitClause
    : EMIT (
        kind = (STREAM | CHANGELOG | DELTA) emitPolicy? emitDelay? emitTimeout?
        | emitPolicy emitDelay? emitTimeout?
        | emitTimeout
    )
    ;

emitDelay
    : (WITH | AND)? DELAY operand
    ;

emitTimeout
    : (WITH | AND)? TIMEOUT operand
    ;

emitPolicy
    : AFTER (WATERMARK | WINDOW CLOSE)           # emitAfterWindow
    | AFTER (KEY (EXPIRE | EXPIRED) | SESSION CLOSE) (IDENTIFIED BY key = operand)? (
        WITH ONLY? MAXSPAN span = operand
    )?                                           # emitAfterSession
    | PERIODIC operand (REPEAT | ON UPDATE)?     # emitPeriodic
    | ON UPDATE (WITH BATCH operand)?            # emitOnUpdate
    | PER EVENT                                  # emitPerEvent
    | LAST operand (ON PROCTIME)?                # emitLast
    ;

settingsClause
    : SETTINGS settingList
    ;

settingList
    : settingAssignment (COMMA settingAssignment)*
    ;

settingAssignment
    : identifier (DOT identifier)* EQ operand
    ;

// ---- Tables

fromClause
    : FROM tableExpr
    ;

tableExpr
    : tablePrimary joinTail*
    ;

joinTail
    : COMMA tablePrimary                                                # commaJoin
    | side = (LEFT | INNER)? ARRAY JOIN selectItem (COMMA selectItem)*  # arrayJoin
    | joinWord* JOIN tablePrimary joinConstraint?                       # plainJoin
    ;

joinWord
    : GLOBAL
    | ANY
    | ALL
    | ASOF
    | SEMI
    | ANTI
    | LATEST
    | INNER
    | LEFT
    | RIGHT
    | FULL
    | OUTER
    | CROSS
    | PASTE
    ;

joinConstraint
    : ON expr
    | USING (LPAREN identifier (COMMA identifier)* RPAREN | identifier (COMMA identifier)*)
    ;

tablePrimary
    : tableAtom early = FINAL? tableAlias? late = FINAL? sampleClause?
    ;

tableAtom
    : objectName                                  # tableName
    | tableFunction                               # tableFunctionAtom
    | LPAREN bareQuery RPAREN                     # tableQuery
    | LPAREN tableExpr setTail* RPAREN            # tableParens
    ;

tableFunction
    : identifier LPAREN (bareQuery | (tableArgument (COMMA tableArgument)*)? COMMA? settingsClause?) RPAREN
    ;

// The second form is the half-open range of the session window function, `[a, b)`.
tableArgument
    : aliasedExpr
    | RANGE_OPEN low = expr COMMA high = expr RANGE_CLOSE
    ;

tableAlias
    : (AS identifier | implicitAlias) columnNames?
    ;

sampleClause
    : SAMPLE ratio = operand (OFFSET offset = operand)?
    ;

// ---- Expressions

exprList
    : aliasedExpr (COMMA aliasedExpr)* COMMA?
    ;

aliasedExpr
    : expr (AS identifier)?
    ;

expr
    : NOT expr                                               # notExpr
    | left = expr AND right = expr                           # andExpr
    | left = expr OR right = expr                            # orExpr
    | <assoc = right> cond = expr QUESTION then = expr (COLON | PATH_COLON) otherwise = expr # ternaryExpr
    | operand predicateTail* (ARROW body = expr)?            # predicateExpr
    ;

predicateTail
    : op = (EQ | NE | LT | LE | GT | GE | NULL_SAFE_EQ) operand # comparisonTail
    | IS NOT? NULL                                           # nullTail
    | IS NOT? DISTINCT FROM operand                          # distinctTail
    | NOT? op = (LIKE | ILIKE | REGEXP) operand              # likeTail
    | GLOBAL? NOT? IN operand                                # inTail
    | NOT? BETWEEN low = operand AND high = operand          # betweenTail
    ;

operand
    : base = operand LBRACKET index = expr RBRACKET          # subscriptOperand
    | base = operand TUPLE_INDEX                             # tupleIndexOperand
    | base = operand DOT identifier                          # memberOperand
    | base = operand DOT STAR columnTransform*               # qualifiedAsterisk
    | base = operand DOT columnsMatcher                      # qualifiedColumns
    | base = operand PATH_COLON identifier                   # pathOperand
    | base = operand DOUBLE_COLON dataType                   # castOperand
    | op = (MINUS | PLUS) operand                            # signOperand
    | left = operand op = (STAR | SLASH | PERCENT | DIV | MOD) right = operand # binaryOperand
    | left = operand op = (PLUS | MINUS) right = operand     # binaryOperand
    | left = operand op = CONCAT right = operand             # binaryOperand
    | primary                                                # primaryOperand
    ;

primary
    : literal                                                # literalPrimary
    | EXTRACT LPAREN unit = IDENTIFIER FROM expr RPAREN      # extractPrimary
    | TRIM LPAREN side = (BOTH | LEADING | TRAILING) what = expr FROM source = expr RPAREN # trimPrimary
    | columnsMatcher                                         # columnsPrimary
    | functionCall                                           # callPrimary
    | identifier                                             # identifierPrimary
    | LPAREN bareQuery RPAREN                                # queryPrimary
    | LPAREN exprList? setTail* RPAREN                       # parensPrimary
    | LBRACKET exprList? RBRACKET                            # arrayPrimary
    | LBRACE (mapEntry (COMMA mapEntry)*)? RBRACE            # mapPrimary
    | parameter                                              # parameterPrimary
    | STAR columnTransform*                                  # asteriskPrimary
    | CASE subject = expr? (WHEN whenBranch)+ (ELSE otherwise = expr)? END # casePrimary
    | CAST LPAREN expr (AS dataType | COMMA target = expr) RPAREN # castPrimary
    | EXISTS LPAREN query RPAREN                             # existsPrimary
    | INTERVAL (text = STRING unit = IDENTIFIER? | intervalValue unit = IDENTIFIER) # intervalPrimary
    | DURATION                                               # durationPrimary
    | word = (DATE | TIMESTAMP) STRING                       # datePrimary
    ;

whenBranch
    : when = expr THEN then = expr
    ;

intervalValue
    : MINUS? number
    | LPAREN expr RPAREN
    | functionCall
    | identifier (DOT identifier)*
    | parameter
    ;

mapEntry
    : key = mapKey COLON value = expr
    ;

mapKey
    : STRING
    | MINUS? number
    ;

parameter
    : LBRACE identifier (COLON | PATH_COLON) dataType RBRACE
    ;

columnsMatcher
    : COLUMNS LPAREN (STRING | identifier (COMMA identifier)*) RPAREN columnTransform*
    ;

columnTransform
    : EXCEPT (LPAREN STRING RPAREN | STRING)                                   # exceptPattern
    | EXCEPT (LPAREN identifier (COMMA identifier)* RPAREN | identifier)       # exceptNames
    | REPLACE (LPAREN replacement (COMMA replacement)* COMMA? RPAREN | replacement) # replaceTransform
    | APPLY (LPAREN expr RPAREN | identifier)                                  # applyTransform
    ;

replacement
    : expr AS identifier
    ;

functionCall
    : functionName LPAREN callArguments RPAREN (LPAREN second = callArguments RPAREN)? (
        nulls = (RESPECT | IGNORE) NULLS
    )? (FILTER LPAREN WHERE filter = expr RPAREN)? (OVER (windowSpec | window = identifier))?
    ;

callArguments
    : bareQuery
    | DISTINCT? exprList (FROM begin = expr (FOR length = expr)?)?
    | /* none */
    ;

// A name before an opening parenthesis. INTERVAL is none, so that INTERVAL (a + b) DAY needs no lookahead.
functionName
    : IDENTIFIER
    | QUOTED_IDENTIFIER
    | ADD
    | ADMIN
    | AFTER
    | AGGREGATE
    | ALERT
    | ALIAS
    | ALTER
    | AND
    | ANTI
    | ANY
    | APPLY
    | ARRAY
    | ASC
    | ASCENDING
    | ASOF
    | ASSUME
    | ASYNC
    | BATCH
    | BOTH
    | BY
    | CASCADE
    | CHANGELOG
    | CHECK
    | CLEAR
    | CLONE
    | CLOSE
    | CLUSTER
    | CODEC
    | COLLATE
    | COLLECTION
    | COLUMN
    | COLUMNS
    | COMMENT
    | COMPRESSION
    | CONSTRAINT
    | CREATE
    | CROSS
    | CURRENT
    | DATABASE
    | DATE
    | DEDUPLICATE
    | DEFAULT
    | DELAY
    | DELETE
    | DELTA
    | DESC
    | DESCENDING
    | DESCRIBE
    | DICTIONARY
    | DISK
    | DIV
    | DROP
    | EMIT
    | END
    | ENGINE
    | EPHEMERAL
    | EVENT
    | EXPIRE
    | EXPIRED
    | EXPLAIN
    | EXTERNAL
    | EXTRACT
    | FETCH
    | FILL
    | FILTER
    | FINAL
    | FIRST
    | FOLLOWING
    | FOR
    | FORMAT
    | FULL
    | FUNCTION
    | GLOBAL
    | GRANT
    | GRANULARITY
    | GROUP
    | GROUPING
    | GROUPS
    | HOST
    | IDENTIFIED
    | IF
    | IGNORE
    | ILIKE
    | IN
    | INDEX
    | INFILE
    | INNER
    | INSERT
    | INTERPOLATE
    | KEY
    | KILL
    | LANGUAGE
    | LAST
    | LATEST
    | LEADING
    | LEFT
    | LIKE
    | LIMIT
    | MATERIALIZE
    | MATERIALIZED
    | MAXSPAN
    | MOD
    | MODIFY
    | MUTABLE
    | MUTATION
    | NAMED
    | NEXT
    | NO
    | NULLS
    | OFFSET
    | ONLY
    | OPTIMIZE
    | OPTION
    | OR
    | ORDER
    | OUTER
    | OUTFILE
    | OVER
    | PARTITION
    | PASTE
    | PER
    | PERIODIC
    | POLICY
    | POPULATE
    | PRECEDING
    | PRECISION
    | PRIMARY
    | PROCTIME
    | PROFILE
    | QUALIFY
    | QUERY
    | QUOTA
    | RANDOM
    | RANGE
    | RECURSIVE
    | REGEXP
    | REMOVE
    | RENAME
    | REPEAT
    | REPLACE
    | RESET
    | RESPECT
    | RESTRICT
    | RETURNS
    | REVOKE
    | RIGHT
    | ROLE
    | ROW
    | ROWS
    | SALT
    | SAMPLE
    | SCHEMA
    | SEMI
    | SESSION
    | SET
    | SETS
    | SETTING
    | SETTINGS
    | SHOW
    | SHUFFLE
    | SIGNED
    | STALENESS
    | STEP
    | STORAGE_SETTINGS
    | STREAM
    | SYNC
    | SYSTEM
    | TABLE
    | TASK
    | TEMPORARY
    | TEST
    | TIES
    | TIMEOUT
    | TIMESTAMP
    | TO
    | TOTALS
    | TRAILING
    | TRIM
    | TRUNCATE
    | TTL
    | TYPE
    | UNBOUNDED
    | UNSIGNED
    | UPDATE
    | USE
    | USER
    | UUID
    | VALUES
    | VARYING
    | VIEW
    | VOLUME
    | WATERMARK
    | WINDOW
    ;

literal
    : number
    | STRING
    | HEREDOC
    | HEX_STRING
    | BIN_STRING
    | NULL
    | TRUE
    | FALSE
    ;

number
    : INTEGER
    | HEX_INTEGER
    | BIN_INTEGER
    | FLOAT
    | INF
    | NAN
    ;

// Parameters of types are kept as text, so that the types need no grammar of their own here.
dataType
    : typeName typeParameters? (UNSIGNED | SIGNED)?
    ;

typeName
    : IDENTIFIER (PRECISION | VARYING)?
    | QUOTED_IDENTIFIER
    | DATE
    | TIMESTAMP
    | ARRAY
    | INTERVAL
    | UUID
    ;

typeParameters
    : LPAREN (typeParameters | ~(LPAREN | RPAREN | SEMICOLON))* RPAREN
    ;

// ---- INSERT: the head only; inline data is cut off before parsing.

insertStatement
    : INSERT INTO? (TABLE? FUNCTION tableFunction | TABLE? objectName) insertColumns? (PARTITION BY partition = expr)? (
        FROM INFILE path = STRING (COMPRESSION compression = STRING)?
    )? before = settingsClause? (
        FORMAT format = identifier after = settingsClause?
        | VALUES
        | query
    )?
    ;

insertColumns
    : LPAREN (STAR (EXCEPT LPAREN columnName (COMMA columnName)* RPAREN)? | columnName (COMMA columnName)* COMMA?) RPAREN
    ;

// ---- Definitions

createStatement
    : CREATE (OR REPLACE)? (DATABASE | SCHEMA) ifNotExists? identifier onCluster? storageClause*  # createDatabase
    | CREATE (OR REPLACE)? variant = (EXTERNAL | MUTABLE | RANDOM | TEMPORARY)? object = (STREAM | TABLE) ifNotExists? objectName (
        UUID uuid = STRING
    )? onCluster? tableElements? storageClause* (
        CLONE? AS like = objectName storageClause*
        | AS query (COMMENT comment = STRING)?
        | AS script = HEREDOC storageClause*
    )?                                                                                           # createStream
    | CREATE (OR REPLACE)? VIEW ifNotExists? objectName onCluster? tableElements? storageClause* AS query (
        COMMENT comment = STRING
    )?                                                                                           # createView
    | CREATE (OR REPLACE)? MATERIALIZED VIEW ifNotExists? objectName (UUID uuid = STRING)? onCluster? (
        (INTO | TO) into = objectName
    )? tableElements? storageClause* POPULATE? AS query (STORAGE_SETTINGS settingList)? (COMMENT comment = STRING)? # createMaterializedView
    | CREATE (OR REPLACE)? FUNCTION ifNotExists? identifier onCluster? AS expr                   # createSqlFunction
    | CREATE (OR REPLACE)? AGGREGATE? FUNCTION ifNotExists? identifier onCluster? LPAREN (
        functionParam (COMMA functionParam)*
    )? RPAREN RETURNS dataType (LANGUAGE language = identifier)? AS code = (STRING | HEREDOC) settingsClause? # createScriptFunction
    | CREATE (OR REPLACE)? FORMAT SCHEMA ifNotExists? identifier AS schema = (STRING | HEREDOC) TYPE kind = identifier # createFormatSchema
    | CREATE USER (ifNotExists | OR REPLACE)? nameList onCluster? userOption*                    # createUser
    | CREATE ROLE (ifNotExists | OR REPLACE)? nameList onCluster? settingsClause?                # createRole
    ;

ifNotExists
    : IF NOT EXISTS
    ;

ifExists
    : IF EXISTS
    ;

onCluster
    : ON CLUSTER (identifier | STRING)
    ;

functionParam
    : identifier dataType
    ;

tableElements
    : LPAREN tableElement (COMMA tableElement)* COMMA? RPAREN
    ;

tableElement
    : columnDef                         # columnElement
    | indexDef                          # indexElement
    | constraintDef                     # constraintElement
    | PRIMARY KEY exprList              # primaryKeyElement
    ;

columnDef
    : columnName dataType? columnOption*
    ;

columnOption
    : NOT NULL                                                  # notNullOption
    | NULL                                                      # nullOption
    | word = (DEFAULT | MATERIALIZED | ALIAS) expr              # defaultOption
    | EPHEMERAL expr?                                           # ephemeralOption
    | CODEC typeParameters                                      # codecOption
    | TTL expr                                                  # ttlOption
    | COMMENT STRING                                            # commentOption
    | PRIMARY KEY                                               # primaryKeyOption
    | SETTINGS LPAREN settingList RPAREN                        # settingsOption
    ;

indexDef
    : INDEX indexBody
    ;

indexType
    : functionCall
    | identifier
    ;

constraintDef
    : CONSTRAINT identifier kind = (CHECK | ASSUME) expr
    ;

storageClause
    : ENGINE EQ? identifier (LPAREN exprList? RPAREN)?          # engineClause
    | ORDER BY storageKey                                       # storageOrderBy
    | PARTITION BY expr                                         # storagePartitionBy
    | PRIMARY KEY storageKey                                    # storagePrimaryKey
    | SAMPLE BY expr                                            # storageSampleBy
    | TTL ttlItem (COMMA ttlItem)*                              # storageTtl
    | settingsClause                                            # storageSettings
    | COMMENT STRING                                            # storageComment
    ;

storageKey
    : expr (COMMA expr)*
    ;

ttlItem
    : expr (DELETE | TO target = (DISK | VOLUME) STRING)? (WHERE where = expr)?
    ;

userOption
    : NOT IDENTIFIED                                                             # noPasswordOption
    | IDENTIFIED (WITH method = identifier)? (BY secret = STRING)? (SALT STRING)? # identifiedOption
    | HOST hostItem (COMMA hostItem)*                                            # hostOption
    | DEFAULT ROLE roleList                                                      # defaultRoleOption
    | DEFAULT DATABASE identifier                                                # defaultDatabaseOption
    | settingsClause                                                             # userSettingsOption
    | RENAME TO name                                                             # renameOption
    ;

hostItem
    : word = (ANY | IDENTIFIER)
    | word = (LIKE | REGEXP | IDENTIFIER) STRING
    ;

roleList
    : ALL
    | nameList
    ;

nameList
    : name (COMMA name)*
    ;

name
    : identifier
    | STRING
    ;

alterStatement
    : ALTER alterObject ifExists? objectName onCluster? alterAction (COMMA alterAction)* # alterStream
    | ALTER USER ifExists? nameList onCluster? userOption*                               # alterUser
    ;

alterObject
    : STREAM
    | TABLE
    | VIEW
    | MATERIALIZED VIEW
    | DATABASE
    ;

alterAction
    : ADD COLUMN ifNotExists? columnDef columnPlace?                       # addColumn
    | DROP COLUMN ifExists? columnName                                     # dropColumn
    | CLEAR COLUMN ifExists? columnName                                    # clearColumn
    | RENAME COLUMN ifExists? old = columnName TO changed = columnName         # renameColumn
    | COMMENT COLUMN ifExists? columnName STRING                           # commentColumn
    | MODIFY COLUMN ifExists? columnName REMOVE what = (DEFAULT | MATERIALIZED | ALIAS | CODEC | TTL | COMMENT) # removeFromColumn
    | MODIFY COLUMN ifExists? columnDef columnPlace?                       # modifyColumn
    | MODIFY COMMENT STRING                                                # modifyComment
    | MODIFY SETTING settingList                                           # modifySetting
    | MODIFY QUERY SETTING settingList                                     # modifyQuerySetting
    | RESET SETTING identifier (COMMA identifier)*                         # resetSetting
    | MODIFY TTL ttlItem (COMMA ttlItem)*                                  # modifyTtl
    | REMOVE TTL                                                           # removeTtl
    | MODIFY ORDER BY storageKey                                           # modifyOrderBy
    | MODIFY QUERY query                                                   # modifyQuery
    | ADD INDEX ifNotExists? indexBody                                     # addIndex
    | DROP INDEX ifExists? identifier                                      # dropIndex
    | MATERIALIZE INDEX ifExists? identifier                               # materializeIndex
    | ADD CONSTRAINT ifNotExists? identifier kind = (CHECK | ASSUME) expr  # addConstraint
    | DROP CONSTRAINT ifExists? identifier                                 # dropConstraint
    | DROP PARTITION operand                                               # dropPartition
    | DELETE WHERE expr                                                    # deleteAction
    | UPDATE assignment (COMMA assignment)* WHERE where = expr             # updateAction
    ;

indexBody
    : identifier expr (TYPE kind = indexType)? (GRANULARITY granularity = operand)?
    ;

columnPlace
    : FIRST
    | AFTER columnName
    ;

assignment
    : columnName EQ expr
    ;

dropStatement
    : DROP objectKind ifExists? objectRef (COMMA objectRef)* onCluster? dropWord* settingsClause?
    ;

dropWord
    : CASCADE
    | RESTRICT
    | SYNC
    | NO DELAY
    ;

objectRef
    : objectName
    | STRING
    ;

objectKind
    : DATABASE
    | SCHEMA
    | (EXTERNAL | MUTABLE | RANDOM | TEMPORARY)? (STREAM | TABLE)
    | MATERIALIZED? VIEW
    | FUNCTION
    | FORMAT SCHEMA
    | USER
    | ROLE
    | DICTIONARY
    | NAMED COLLECTION
    | TASK
    | ALERT
    | DISK
    | QUOTA
    | SETTINGS? PROFILE
    | ROW? POLICY
    ;

renameStatement
    : RENAME objectKind ifExists? renamePair (COMMA renamePair)* onCluster?
    ;

renamePair
    : old = objectName TO changed = objectName
    ;

truncateStatement
    : TRUNCATE object = (DATABASE | TABLE | STREAM)? ifExists? objectName onCluster? settingsClause?
    ;

// ---- Everything else

showStatement
    : SHOW CREATE objectKind? objectRef outputClause # showCreate
    | SHOW (showWord+ | FORMAT showWord) ((FROM | IN) objectName ((FROM | IN) database = identifier)?)? (FOR nameList)? likeClause? (
        WHERE where = expr
    )? (LIMIT limit = expr)? outputClause            # showList
    ;

showWord
    : IDENTIFIER
    | SETTINGS
    | MATERIALIZED
    | FULL
    | AGGREGATE
    | NAMED
    | EXTERNAL
    | INDEX
    | CURRENT
    | DEFAULT
    | COLUMNS
    ;

likeClause
    : NOT? op = (LIKE | ILIKE) STRING
    ;

describeStatement
    : (DESCRIBE | DESC) describeTarget outputClause
    ;

describeTarget
    : TABLE? LPAREN query RPAREN
    | (STREAM | TABLE | VIEW)? objectName
    | TABLE? tableFunction
    ;

explainStatement
    : EXPLAIN (kind = IDENTIFIER | kind = QUERY second = IDENTIFIER)? settingList? statement
    ;

existsStatement
    : EXISTS objectKind? objectRef outputClause
    ;

useStatement
    : USE DATABASE? identifier
    ;

setStatement
    : SET settingList                        # setSettings
    | SET ROLE (DEFAULT | roleList)          # setRole
    | SET DEFAULT ROLE roleList TO nameList  # setDefaultRole
    ;

killStatement
    : KILL target = (QUERY | MUTATION) onCluster? WHERE expr kind = (SYNC | ASYNC | TEST)? outputClause
    ;

viewControlStatement
    : SYSTEM? action = IDENTIFIER MATERIALIZED VIEW ifExists? objectName
    ;

systemStatement
    : SYSTEM anyToken+
    ;

grantStatement
    : GRANT onCluster? privilege (COMMA privilege)* (ON grantScope)? TO nameList (
        WITH option = (GRANT | ADMIN) OPTION
    )*
    ;

revokeStatement
    : REVOKE onCluster? (option = (GRANT | ADMIN) OPTION FOR)? privilege (COMMA privilege)* (ON grantScope)? FROM nameList
    ;

privilege
    : privilegeWord+ (LPAREN columnName (COMMA columnName)* RPAREN)?
    ;

privilegeWord
    : ~(ON | TO | FROM | COMMA | DOT | STAR | LPAREN | RPAREN | SEMICOLON)
    ;

grantScope
    : STAR (DOT STAR)?
    | identifier (DOT (identifier | STAR))?
    ;

optimizeStatement
    : OPTIMIZE (STREAM | TABLE) objectName onCluster? (PARTITION operand)? FINAL? DEDUPLICATE?
    ;

deleteStatement
    : DELETE FROM objectName onCluster? (WHERE expr)? settingsClause?
    ;

updateStatement
    : UPDATE objectName onCluster? SET assignment (COMMA assignment)* (WHERE expr)? settingsClause?
    ;

checkStatement
    : CHECK (STREAM | TABLE) objectName outputClause
    ;

// ---- Names

objectName
    : identifier (DOT identifier)?
    ;

columnName
    : identifier (DOT identifier)*
    ;

// The keywords among these are names wherever a name may stand; the missing ones are reserved.

// The keywords among these are names wherever a name may stand; the missing ones are reserved.

// The keywords among these are names wherever a name may stand; the missing ones are reserved.

// The keywords among these are names wherever a name may stand; the missing ones are reserved.

// The keywords among these are names wherever a name may stand; the missing ones are reserved.
identifier
    : IDENTIFIER
    | QUOTED_IDENTIFIER
    | ADD
    | ADMIN
    | AFTER
    | AGGREGATE
    | ALERT
    | ALIAS
    | ALTER
    | ANTI
    | ANY
    | APPLY
    | ARRAY
    | ASC
    | ASCENDING
    | ASOF
    | ASSUME
    | ASYNC
    | BATCH
    | BOTH
    | BY
    | CASCADE
    | CHANGELOG
    | CHECK
    | CLEAR
    | CLONE
    | CLOSE
    | CLUSTER
    | CODEC
    | COLLATE
    | COLLECTION
    | COLUMN
    | COLUMNS
    | COMMENT
    | COMPRESSION
    | CONSTRAINT
    | CREATE
    | CROSS
    | CURRENT
    | DATABASE
    | DATE
    | DEDUPLICATE
    | DEFAULT
    | DELAY
    | DELETE
    | DELTA
    | DESC
    | DESCENDING
    | DESCRIBE
    | DICTIONARY
    | DISK
    | DIV
    | DROP
    | EMIT
    | END
    | ENGINE
    | EPHEMERAL
    | EVENT
    | EXPIRE
    | EXPIRED
    | EXPLAIN
    | EXTERNAL
    | EXTRACT
    | FETCH
    | FILL
    | FILTER
    | FINAL
    | FIRST
    | FOLLOWING
    | FOR
    | FORMAT
    | FULL
    | FUNCTION
    | GLOBAL
    | GRANT
    | GRANULARITY
    | GROUP
    | GROUPING
    | GROUPS
    | HOST
    | IDENTIFIED
    | IF
    | IGNORE
    | INDEX
    | INFILE
    | INNER
    | INSERT
    | INTERPOLATE
    | INTERVAL
    | KEY
    | KILL
    | LANGUAGE
    | LAST
    | LATEST
    | LEADING
    | LEFT
    | LIMIT
    | MATERIALIZE
    | MATERIALIZED
    | MAXSPAN
    | MOD
    | MODIFY
    | MUTABLE
    | MUTATION
    | NAMED
    | NEXT
    | NO
    | NULLS
    | OFFSET
    | ONLY
    | OPTIMIZE
    | OPTION
    | ORDER
    | OUTER
    | OUTFILE
    | OVER
    | PARTITION
    | PASTE
    | PER
    | PERIODIC
    | POLICY
    | POPULATE
    | PRECEDING
    | PRECISION
    | PRIMARY
    | PROCTIME
    | PROFILE
    | QUALIFY
    | QUERY
    | QUOTA
    | RANDOM
    | RANGE
    | RECURSIVE
    | REGEXP
    | REMOVE
    | RENAME
    | REPEAT
    | REPLACE
    | RESET
    | RESPECT
    | RESTRICT
    | RETURNS
    | REVOKE
    | RIGHT
    | ROLE
    | ROW
    | ROWS
    | SALT
    | SAMPLE
    | SCHEMA
    | SEMI
    | SESSION
    | SET
    | SETS
    | SETTING
    | SETTINGS
    | SHOW
    | SHUFFLE
    | SIGNED
    | STALENESS
    | STEP
    | STORAGE_SETTINGS
    | STREAM
    | SYNC
    | SYSTEM
    | TABLE
    | TASK
    | TEMPORARY
    | TEST
    | TIES
    | TIMEOUT
    | TIMESTAMP
    | TO
    | TOTALS
    | TRAILING
    | TRIM
    | TRUNCATE
    | TTL
    | TYPE
    | UNBOUNDED
    | UNSIGNED
    | UPDATE
    | USE
    | USER
    | UUID
    | VALUES
    | VARYING
    | VIEW
    | VOLUME
    | WATERMARK
    | WINDOW
    ;

// A name that follows an expression or a table without AS: no keyword that could begin what comes next.
implicitAlias
    : IDENTIFIER
    | QUOTED_IDENTIFIER
    | ADD
    | ADMIN
    | AFTER
    | AGGREGATE
    | ALERT
    | ALIAS
    | ALTER
    | ASC
    | ASCENDING
    | ASSUME
    | ASYNC
    | BATCH
    | BOTH
    | BY
    | CASCADE
    | CHANGELOG
    | CHECK
    | CLEAR
    | CLOSE
    | CLUSTER
    | CODEC
    | COLLATE
    | COLLECTION
    | COLUMN
    | COLUMNS
    | COMPRESSION
    | CONSTRAINT
    | CREATE
    | CURRENT
    | DATABASE
    | DATE
    | DEDUPLICATE
    | DEFAULT
    | DELAY
    | DELETE
    | DELTA
    | DESC
    | DESCENDING
    | DESCRIBE
    | DICTIONARY
    | DISK
    | DROP
    | END
    | ENGINE
    | EPHEMERAL
    | EVENT
    | EXPIRE
    | EXPIRED
    | EXPLAIN
    | EXTERNAL
    | EXTRACT
    | FILL
    | FIRST
    | FOLLOWING
    | FOR
    | FUNCTION
    | GRANT
    | GRANULARITY
    | GROUPING
    | GROUPS
    | HOST
    | IDENTIFIED
    | IF
    | INDEX
    | INFILE
    | INSERT
    | INTERVAL
    | KEY
    | KILL
    | LANGUAGE
    | LAST
    | LEADING
    | MATERIALIZE
    | MATERIALIZED
    | MAXSPAN
    | MODIFY
    | MUTABLE
    | MUTATION
    | NAMED
    | NEXT
    | NO
    | NULLS
    | ONLY
    | OPTIMIZE
    | OPTION
    | OUTFILE
    | PER
    | PERIODIC
    | POLICY
    | PRECEDING
    | PRIMARY
    | PROCTIME
    | PROFILE
    | QUERY
    | QUOTA
    | RANDOM
    | RANGE
    | RECURSIVE
    | REMOVE
    | RENAME
    | REPEAT
    | RESET
    | RESTRICT
    | RETURNS
    | REVOKE
    | ROLE
    | ROW
    | ROWS
    | SALT
    | SCHEMA
    | SESSION
    | SET
    | SETS
    | SETTING
    | SHOW
    | STALENESS
    | STEP
    | STREAM
    | SYNC
    | SYSTEM
    | TABLE
    | TASK
    | TEMPORARY
    | TEST
    | TIES
    | TIMEOUT
    | TIMESTAMP
    | TO
    | TOTALS
    | TRAILING
    | TRIM
    | TRUNCATE
    | TTL
    | TYPE
    | UNBOUNDED
    | UPDATE
    | USE
    | USER
    | UUID
    | VALUES
    | VIEW
    | VOLUME
    | WATERMARK
    ;
