import test, { type ExecutionContext } from 'ava';
import { Grants, type Privilege, privilegesNamed, type Scope } from '../../src/access/index.ts';
import { parseStatement } from '../../src/parser/index.ts';

/* Rights by scope are compared with a table of every single right, which GRANT and REVOKE fill and empty cell by cell. */

const listed: Privilege[] = ['SELECT', 'INSERT', 'DROP STREAM'];
const databases = ['a', 'b'];
const tables = ['x', 'y', 'z'];

type Cell = 'none' | 'granted' | 'option';

function randomFrom(seed: number): (most: number) => number {
  let state = seed;
  return (most) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * most);
  };
}

class Model {
  readonly cells = new Map<string, Cell>();

  *inside(scope: Scope): Iterable<string> {
    for (const database of databases)
      for (const table of tables)
        if ((scope.database ?? database) === database && (scope.table ?? table) === table)
          yield `${database}.${table}`;
  }

  set(privilege: Privilege, scope: Scope, change: (cell: Cell) => Cell): void {
    for (const place of this.inside(scope)) {
      const key = `${privilege} ${place}`;
      this.cells.set(key, change(this.cells.get(key) ?? 'none'));
    }
  }
}

function compare(t: ExecutionContext, grants: Grants, model: Model, what: string): void {
  for (const privilege of listed) {
    for (const database of databases) {
      for (const table of tables) {
        const cell = model.cells.get(`${privilege} ${database}.${table}`) ?? 'none';
        const scope = { database, table };
        t.is(
          grants.allows(privilege, scope),
          cell !== 'none',
          `${what}: ${privilege} on ${database}.${table}`,
        );
        t.is(
          grants.mayGrant(privilege, scope),
          cell === 'option',
          `${what}: granting ${privilege} on ${table}`,
        );
      }
    }
  }
}

test('rights by scope are those of a table of single rights, and their statements make them again', (t) => {
  for (let seed = 1; seed <= 150; seed++) {
    const random = randomFrom(seed);
    const grants = new Grants();
    const model = new Model();
    for (let step = 0; step < 12; step++) {
      const database = random(4) === 0 ? null : databases[random(2)]!;
      const table = database === null || random(3) === 0 ? null : tables[random(3)]!;
      const scope = { database, table };
      const privilege = listed[random(3)]!;
      const option = random(3) === 0;
      if (random(3) > 0) {
        grants.grant(privilege, scope, option);
        model.set(privilege, scope, (cell) => (option || cell === 'option' ? 'option' : 'granted'));
      } else {
        grants.revoke(privilege, scope, option);
        model.set(privilege, scope, (cell) => (option && cell !== 'none' ? 'granted' : 'none'));
      }
      compare(t, grants, model, `seed ${seed}, step ${step}`);
    }
    compare(t, new Grants(grants.stored()), model, `seed ${seed}, stored`);
    const again = new Grants();
    for (const text of grants.statements('u')) {
      const statement = parseStatement(text);
      if (statement.kind !== 'grant' || statement.on === null) return t.fail(text);
      for (const { name } of statement.privileges)
        for (const privilege of privilegesNamed(name, statement.on))
          if (statement.revoke) again.revoke(privilege, statement.on, statement.grantOption);
          else again.grant(privilege, statement.on, statement.grantOption);
    }
    compare(t, again, model, `seed ${seed}, made again by ${grants.statements('u').join('; ')}`);
  }
});

test('rights have names for many of them, and unknown or too narrow ones are refused', (t) => {
  t.deepEqual(Grants.all().statements('u'), ['GRANT ALL ON *.* TO u WITH GRANT OPTION']);
  const some = new Grants();
  const scope = { database: 'd', table: null };
  for (const name of ['CREATE', 'DROP TABLE', 'SELECT'])
    for (const privilege of privilegesNamed(name, scope)) some.grant(privilege, scope, false);
  t.deepEqual(some.statements('u'), ['GRANT CREATE, SELECT, DROP STREAM ON d.* TO u']);
  t.throws(() => privilegesNamed('SELCT', scope), { message: /Unknown privilege 'SELCT'.*SELECT/ });
  t.throws(() => privilegesNamed('CREATE USER', scope), { message: /cannot be granted on d\.\*/ });
});
