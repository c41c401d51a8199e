import { type Change, changesOf, focused, loosened, removed, skipped } from './change.ts'

const inTest = (body: string) =>
  `import { add } from './add'\n\ndescribe('add', () => {\n  it('adds', () => {\n${body}\n  })\n\n  it('stays', () => {\n    expect(add(0, 0)).toBe(0)\n  })\n})\n`
const asIs = (body: string) => `${body}\n`

export const javascriptChanges: Change[] = [
  ...changesOf('src/add.test.ts', inTest, [
    [
      'an assertion is gone',
      '    expect(add(1, 2)).toBe(3)\n    expect(add(2, 2)).toBe(4)',
      '    expect(add(1, 2)).toBe(3)',
      [removed],
    ],
    [
      'an assertion is commented out',
      '    expect(add(1, 2)).toBe(3)',
      '    // expect(add(1, 2)).toBe(3)',
      [removed],
    ],
    [
      'two assertions became one',
      '    expect(a).toBe(3)\n    expect(b).toBe(4)',
      '    expect(c).toBe(3)',
      [removed],
    ],
    [
      'exact became truthy',
      '    expect(add(1, 2)).toBe(3)',
      '    expect(add(1, 2)).toBeTruthy()',
      [loosened],
    ],
    [
      'equal became defined',
      '    expect(add(1)).toEqual({ a: 1 })',
      '    expect(add(1)).toBeDefined()',
      [loosened],
    ],
    [
      'equal became not to throw',
      '    expect(add(1)).toEqual(1)',
      '    expect(() => add(1)).not.toThrow()',
      [loosened],
    ],
    [
      'equal became a part',
      '    expect(add(1)).toEqual({ a: 1 })',
      '    expect(add(1)).toMatchObject({})',
      [loosened],
    ],
    [
      'equal became containing',
      "    expect(add(1)).toBe('abc')",
      "    expect(add(1)).toContain('a')",
      [loosened],
    ],
    [
      'assert.equal became assert.ok',
      '    assert.strictEqual(add(1), 3)',
      '    assert.ok(add(1))',
      [loosened],
    ],
    ['chai equal became exist', '    expect(add(1)).to.equal(3)', '    expect(add(1)).to.exist', [loosened]],
    ['it can not fail any more', '    expect(add(1)).toBe(3)', '    expect(true).toBe(true)', [loosened]],
    [
      'it can not fail any more, by or',
      '    expect(add(1) === 3).toBe(true)',
      '    expect(add(1) === 3 || true).toBe(true)',
      [loosened],
    ],
    [
      'anything goes',
      '    expect(f()).toEqual({\n      id: 5,\n    })',
      '    expect(f()).toEqual({\n      id: expect.anything(),\n    })',
      [loosened],
    ],
    [
      'fewer digits',
      '    expect(f()).toBeCloseTo(0.3, 5)',
      '    expect(f()).toBeCloseTo(0.3, 1)',
      [loosened],
    ],
    ['more time', '    await wait({ timeout: 1_000 })', '    await wait({ timeout: 60_000 })', [loosened]],
    [
      'another attempt',
      '    expect(f()).toBe(1)',
      '    this.retries(3)\n    expect(f()).toBe(1)',
      [loosened],
    ],
    [
      'a test that returns at once',
      '    expect(f()).toBe(1)',
      '    return\n    expect(f()).toBe(1)',
      [skipped],
    ],

    [
      'silent: set differently',
      '    expect(add(1, 2)).toBe(3)',
      '    expect(\n      add(1, 2),\n    ).toBe(3)',
      [],
    ],
    [
      'silent: indented',
      '    expect(add(1, 2)).toBe(3)',
      '    if (x) {\n      expect(add(1, 2)).toBe(3);\n    }',
      [],
    ],
    ['silent: another value', '    expect(add(1, 2)).toBe(3)', '    expect(add(1, 2)).toBe(4)', []],
    [
      'silent: truthy became exact',
      '    expect(add(1, 2)).toBeTruthy()',
      '    expect(add(1, 2)).toBe(3)',
      [],
    ],
    [
      'silent: an equal matcher',
      '    expect(add(1).length).toBe(3)',
      '    expect(add(1)).toHaveLength(3)',
      [],
    ],
    [
      'silent: more assertions',
      '    expect(a).toBe(3)',
      '    expect(a).toBe(3)\n    expect(b).toBeDefined()',
      [],
    ],
    [
      'silent: a comment with the words',
      '    expect(a).toBe(3)',
      '    // it.skip( and describe.only( would be wrong here\n    expect(a).toBe(3)',
      [],
    ],
    [
      'silent: a string with the words',
      '    expect(a).toBe(3)',
      "    run('it.skip(1)', `it.only(2)`)\n    expect(a).toBe(3)",
      [],
    ],
    [
      'silent: a long string with the words',
      '    expect(a).toBe(3)',
      '    run(`\n      it.skip(1)\n      xit("a")\n    `)\n    expect(a).toBe(3)',
      [],
    ],
    [
      'silent: a function of the same name',
      '    expect(a).toBe(3)',
      '    expect(a).toBe(3)\n    rows.skip(3).only(x)\n    fit(model)',
      [],
    ],
    ['silent: less time', '    await wait({ timeout: 60_000 })', '    await wait({ timeout: 1_000 })', []],
    ['silent: more digits', '    expect(f()).toBeCloseTo(0.3, 1)', '    expect(f()).toBeCloseTo(0.3, 5)', []],
    [
      'silent: a table',
      '    expect(f(1)).toBe(1)\n    expect(f(2)).toBe(2)\n    expect(f(3)).toBe(3)',
      '    for (const n of [1, 2, 3]) expect(f(n)).toBe(n)',
      [],
    ],
  ]),
  ...changesOf('test/add.spec.js', asIs, [
    [
      'skipped',
      "it('a', () => {\n  expect(f()).toBe(1)\n})",
      "it.skip('a', () => {\n  expect(f()).toBe(1)\n})",
      [skipped],
    ],
    [
      'skipped by x',
      "it('a', () => {\n  expect(f()).toBe(1)\n})",
      "xit('a', () => {\n  expect(f()).toBe(1)\n})",
      [skipped],
    ],
    [
      'a group skipped',
      "describe('a', () => {\n  one()\n})",
      "describe.skip('a', () => {\n  one()\n})",
      [skipped],
    ],
    [
      'skipped by an option',
      "test('a', () => {\n  assert(f())\n})",
      "test('a', { skip: true }, () => {\n  assert(f())\n})",
      [skipped],
    ],
    [
      'fixme',
      "test('a', async () => {\n  one()\n})",
      "test.fixme('a', async () => {\n  one()\n})",
      [skipped],
    ],
    [
      'expected to fail',
      "test('a', async () => {\n  one()\n})",
      "test.failing('a', async () => {\n  one()\n})",
      [skipped],
    ],
    [
      'skipped from inside',
      "test('a', (t) => {\n  one()\n})",
      "test('a', (t) => {\n  t.skip()\n  one()\n})",
      [skipped],
    ],
    [
      'commented out',
      "it('a', () => {\n  expect(f()).toBe(1)\n})\n\nother()",
      "// it('a', () => {\n//   expect(f()).toBe(1)\n// })\n\nother()",
      [skipped],
    ],
    [
      'commented out as a block',
      "it('a', () => {\n  expect(f()).toBe(1)\n})",
      "/*\nit('a', () => {\n  expect(f()).toBe(1)\n})\n*/",
      [skipped],
    ],
    [
      'only one',
      "it('a', () => {\n  expect(f()).toBe(1)\n})",
      "it.only('a', () => {\n  expect(f()).toBe(1)\n})",
      [focused],
    ],
    [
      'only one by f',
      "it('a', () => {\n  expect(f()).toBe(1)\n})",
      "fit('a', () => {\n  expect(f()).toBe(1)\n})",
      [focused],
    ],
    [
      'a test is gone',
      "it('a', () => {\n  expect(f()).toBe(1)\n})\n\nit('b', () => {\n  expect(g()).toBe(1)\n})",
      "it('a', () => {\n  expect(f()).toBe(1)\n})",
      [removed],
    ],
    [
      'ava: is became truthy',
      "test('a', (t) => {\n  t.is(f(), 1)\n})",
      "test('a', (t) => {\n  t.truthy(f())\n})",
      [loosened],
    ],
    [
      'more time at the end',
      "it('a', async () => {\n  one()\n}, 5000)",
      "it('a', async () => {\n  one()\n}, 50_000)",
      [loosened],
    ],

    [
      'silent: the skipped test has another name',
      "it.skip('a', () => {\n  one()\n})",
      "it.skip('b', () => {\n  one()\n})",
      [],
    ],
    [
      'silent: a test was renamed',
      "it('a', () => {\n  expect(f()).toBe(1)\n})",
      "it('b', () => {\n  expect(f()).toBe(1)\n})",
      [],
    ],
    [
      'silent: two tests changed places',
      "it('a', () => {\n  expect(f()).toBe(1)\n})\nit('b', () => {\n  expect(g()).toBe(2)\n})",
      "it('b', () => {\n  expect(g()).toBe(2)\n})\nit('a', () => {\n  expect(f()).toBe(1)\n})",
      [],
    ],
    [
      'silent: a test was split',
      "it('a', () => {\n  expect(f()).toBe(1)\n  expect(g()).toBe(2)\n})",
      "it('a', () => {\n  expect(f()).toBe(1)\n})\n\nit('b', () => {\n  expect(g()).toBe(2)\n})",
      [],
    ],
    [
      'silent: assertions went into a helper',
      "it('a', () => {\n  expect(f().a).toBe(1)\n  expect(f().b).toBe(2)\n})",
      "function expectPair(pair) {\n  expect(pair.a).toBe(1)\n  expect(pair.b).toBe(2)\n}\n\nit('a', () => {\n  expectPair(f())\n})",
      [],
    ],
    [
      'silent: tests became a table',
      "it('a', () => {\n  expect(f(1)).toBe(1)\n})\nit('b', () => {\n  expect(f(2)).toBe(2)\n})",
      "it.each([1, 2])('%d', (n) => {\n  expect(f(n)).toBe(n)\n})",
      [],
    ],
    ['silent: no longer skipped', "it.skip('a', () => {\n  one()\n})", "it('a', () => {\n  one()\n})", []],
    [
      'silent: a note of a test to come',
      "it('a', () => {\n  one()\n})",
      "it('a', () => {\n  one()\n})\nit.todo('b')",
      [],
    ],
    [
      'silent: a new test that says little',
      "it('a', () => {\n  expect(f()).toBe(1)\n})",
      "it('a', () => {\n  expect(f()).toBe(1)\n})\n\nit('b', () => {\n  expect(g()).toEqual(expect.any(Number))\n})",
      [],
    ],
  ]),
  ...changesOf('src/add.ts', asIs, [
    ['silent: no test', 'const words = [1]\nassert(f)\nexpect(a)', 'const words = [1]', []],
  ]),
  ...changesOf('vendor/lib/add.test.ts', asIs, [
    ['silent: not ours', "it('a', () => {\n  expect(f()).toBe(1)\n})", "it.skip('a', () => {\n})", []],
  ]),
]
