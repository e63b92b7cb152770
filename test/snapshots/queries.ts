/** What the queries run over: columns of every kind of vector, in one block. */
export const statements: readonly string[] = [
  'CREATE STREAM events (id uint32, small int8, wide int64, big int64, huge int128, maybe nullable(int32), price float64, name string, label nullable(string), text string, tags array(string), raw string)',
  `INSERT INTO events (id, small, wide, big, huge, maybe, price, name, label, text, tags, raw)
    SELECT number, number % 7 - 3, number * 90000000000, number * 900000000000000000, number::int128 * 1000000000000000000000,
      if(number % 5 = 0, NULL, number % 11), number / 8, ['red', 'green', 'blue'][number % 3 + 1],
      if(number % 4 = 0, NULL, ['x', 'y'][number % 2 + 1]), concat('text ', to_string(number * 7919)),
      [to_string(number % 3), 'tag'],
      concat('{"user":{"name":"u', to_string(number % 3), '"},"n":', to_string(number), ',"items":[{"price":2.5}]}')
    FROM numbers(5000)`,
  'CREATE STREAM colours (name string, code nullable(int32))',
  "INSERT INTO colours (name, code) VALUES ('red', 1), ('green', 2), ('green', 3), ('black', NULL)",
];

/** Queries by the file that holds what becomes of them. Together they reach every operator and every way of compiling one. */
export const queries: Readonly<Record<string, readonly string[]>> = {
  filters: [
    'SELECT id FROM table(events) WHERE small > 1 AND price < 4',
    "SELECT id FROM table(events) WHERE name = 'red' AND upper(name) != 'BLUE' AND maybe > 2",
    "SELECT id FROM table(events) WHERE text LIKE 'text 7%' OR label IS NULL",
    'SELECT id FROM table(events) WHERE id IN (1, 2, 3) AND small NOT IN (SELECT code FROM table(colours))',
    'SELECT id FROM table(events) WHERE price > (SELECT avg(price) FROM table(events))',
  ],
  expressions: [
    'SELECT small + 1, small * id, wide * 2, big + 1, huge - 1, price / small, -small FROM table(events)',
    "SELECT if(small > 0, price, id), multi_if(maybe > 5, 'many', maybe > 2, 'some', label), coalesce(maybe, small) FROM table(events)",
    "SELECT concat(name, '-', text), length(text), substring(label, 1, 1), upper(name) FROM table(events)",
    'SELECT array_map(x -> concat(x, name), tags), tags[1], has(tags, text) FROM table(events)',
    "SELECT upper('constant'), id + length('four'), to_string(big), maybe::nullable(float64) FROM table(events)",
  ],
  aggregation: [
    'SELECT count(), sum(small), avg(price), min(text), max(maybe) FROM table(events)',
    'SELECT count(), count() * 2 FROM table(events) WHERE price < 4',
    'SELECT small, count() FROM table(events) GROUP BY small',
    'SELECT small, sum(price), max(wide) FROM table(events) GROUP BY small',
    'SELECT name, count(), sum(small), avg(price) FROM table(events) GROUP BY name',
    'SELECT label, text, count(maybe) FROM table(events) GROUP BY label, text',
    'SELECT big, huge, price, sum(big) FROM table(events) GROUP BY big, huge, price',
    "SELECT tags, count(DISTINCT name), sum_if(price, name = 'red'), group_array(id), arg_min(text, price) FROM table(events) GROUP BY tags",
    "SELECT name, sum(small) AS total FROM table(events) WHERE id > 3 GROUP BY name HAVING total > 0 AND name != 'blue'",
  ],
  ordering: [
    'SELECT id, price FROM table(events) ORDER BY price DESC LIMIT 3 OFFSET 1',
    'SELECT id FROM table(events) ORDER BY label NULLS FIRST, length(text) DESC',
    'SELECT id, name FROM table(events) LIMIT 2 OFFSET 1',
    'SELECT id, name FROM table(events) ORDER BY id LIMIT 1 BY name',
    'SELECT DISTINCT name, small FROM table(events)',
  ],
  joins: [
    'SELECT id, code FROM table(events) AS e INNER JOIN table(colours) AS c ON e.name = c.name WHERE e.small = 1 AND c.code > 1',
    'SELECT id, code, c.name FROM table(events) AS e LEFT JOIN table(colours) AS c ON e.name = c.name AND e.small = c.code SETTINGS join_use_nulls = 1',
    'SELECT count(), sum(id) FROM table(events) AS e LEFT ANY JOIN table(colours) AS c ON e.name = c.name',
    'SELECT count() FROM table(colours) AS a CROSS JOIN table(colours) AS b',
  ],
  rows: [
    'SELECT id, tag FROM table(events) ARRAY JOIN tags AS tag WHERE small = 0',
    'SELECT tag, count() FROM table(events) LEFT ARRAY JOIN tags AS tag GROUP BY tag',
    'SELECT name FROM table(events) WHERE id < 2 UNION ALL SELECT name FROM table(colours)',
    'SELECT max(c) FROM (SELECT name, count() AS c, sum(price) AS unread FROM table(events) GROUP BY name) WHERE c > 1',
    'SELECT 1 + 1 AS two',
    'SELECT sum(number) FROM numbers(10) WHERE number % 2 = 0',
    "SELECT name FROM system.tables WHERE database = 'default' ORDER BY name",
    'SELECT name, count() FROM events WHERE small > 0 GROUP BY name',
  ],
  documents: [
    'SELECT raw:user.name, raw:items[1].price::float64, raw:n::int32 + 1 FROM table(events)',
    "SELECT raw:user.name AS user, count(), sum(raw:n::nullable(float64)) FROM table(events) WHERE raw:user.name != 'u0' GROUP BY user",
  ],
};
