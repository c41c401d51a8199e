import { type Change, changesOf, loosened, removed, skipped } from './change.ts'

const inTest = (body: string) =>
  `from add import add\n\n\ndef test_adds():\n${body}\n\n\ndef test_stays():\n    assert add(0) == 0\n`
const inCase = (body: string) => `class AddTest(unittest.TestCase):\n    def test_adds(self):\n${body}\n`
const asIs = (body: string) => `${body}\n`

export const pythonChanges: Change[] = [
  ...changesOf('tests/test_add.py', inTest, [
    [
      'an assertion is gone',
      '    assert add(1) == 1\n    assert add(2) == 2',
      '    assert add(1) == 1',
      [removed],
    ],
    [
      'an assertion is commented out',
      '    assert add(1) == 1',
      '    # assert add(1) == 1\n    pass',
      [removed],
    ],
    ['equal became true', '    assert add(1) == 1', '    assert add(1)', [loosened]],
    ['equal became not None', '    assert add(1) == 1', '    assert add(1) is not None', [loosened]],
    ['equal became in', '    assert add(1) == 1', '    assert add(1) in [1, 2, 3]', [loosened]],
    ['it can not fail any more', '    assert add(1) == 1', '    assert True', [loosened]],
    [
      'it can not fail any more, by or',
      '    assert add(1) == 1',
      '    assert add(1) == 1 or True',
      [loosened],
    ],
    [
      'a wider tolerance',
      '    assert add(1) == approx(1, abs=1e-6)',
      '    assert add(1) == approx(1, abs=1e-1)',
      [loosened],
    ],
    [
      'skipped from inside',
      '    assert add(1) == 1',
      '    pytest.skip("later")\n    assert add(1) == 1',
      [skipped],
    ],

    [
      'silent: set differently',
      '    assert add(1) == 1',
      '    assert (\n        add(1)\n        == 1\n    )',
      [],
    ],
    ['silent: another value', '    assert add(1) == 1', '    assert add(1) == 2', []],
    ['silent: true became equal', '    assert add(1)', '    assert add(1) == 1', []],
    [
      'silent: words in a string',
      '    assert add(1) == 1',
      '    text = "pytest.skip() @pytest.mark.skip"\n    assert add(1) == 1',
      [],
    ],
    [
      'silent: words in a docstring',
      '    assert add(1) == 1',
      '    """Once\n    @pytest.mark.skip\n    stood here."""\n    assert add(1) == 1',
      [],
    ],
    [
      'silent: a loop',
      '    assert add(1) == 1\n    assert add(2) == 2',
      '    for n in (1, 2):\n        assert add(n) == n',
      [],
    ],
  ]),
  ...changesOf('tests/test_add.py', asIs, [
    [
      'skipped',
      'def test_a():\n    assert f() == 1',
      '@pytest.mark.skip(reason="later")\ndef test_a():\n    assert f() == 1',
      [skipped],
    ],
    [
      'expected to fail',
      'def test_a():\n    assert f() == 1',
      '@pytest.mark.xfail\ndef test_a():\n    assert f() == 1',
      [skipped],
    ],
    [
      'skipped here and no longer there',
      '@pytest.mark.skip\ndef test_a():\n    assert f() == 1\n\n\n\n\ndef test_b():\n    assert g() == 1',
      'def test_a():\n    assert f() == 1\n\n\n\n\n@pytest.mark.skip\ndef test_b():\n    assert g() == 1',
      [skipped],
    ],
    [
      'renamed so that pytest does not find it',
      'def test_a():\n    assert f() == 1',
      'def _test_a():\n    assert f() == 1',
      [skipped],
    ],
    [
      'a class renamed so that pytest does not find it',
      'class TestAdd:\n    def test_a(self):\n        assert f() == 1',
      'class AddChecks:\n    def test_a(self):\n        assert f() == 1',
      [skipped],
    ],
    [
      'commented out as a string',
      'def test_a():\n    assert f() == 1',
      '"""\ndef test_a():\n    assert f() == 1\n"""',
      [skipped],
    ],
    [
      'a test is gone',
      'def test_a():\n    assert f() == 1\n\n\ndef test_b():\n    assert g() == 1',
      'def test_a():\n    assert f() == 1',
      [removed],
    ],
    [
      'a test is gone whose assertions are not known',
      'def test_a():\n    run(1)\n\n\ndef test_b():\n    run(2)',
      'def test_a():\n    run(1)',
      [removed],
    ],

    [
      'silent: a test was renamed',
      'def test_a():\n    assert f() == 1',
      'def test_other():\n    assert f() == 1',
      [],
    ],
    [
      'silent: a table',
      'def test_a():\n    assert f(1) == 1\n\n\ndef test_b():\n    assert f(2) == 2',
      '@pytest.mark.parametrize("n", [1, 2])\ndef test_a(n):\n    assert f(n) == n',
      [],
    ],
    [
      'silent: a skipped test moved',
      '@pytest.mark.skip\ndef test_a():\n    assert f() == 1\n\n\ndef test_b():\n    assert g() == 1',
      'def test_b():\n    assert g() == 1\n\n\n@pytest.mark.skip\ndef test_a():\n    assert f() == 1',
      [],
    ],
  ]),
  ...changesOf('tests/add_test.py', inCase, [
    [
      'assertEqual became assertTrue',
      '        self.assertEqual(add(1), 1)',
      '        self.assertTrue(add(1))',
      [loosened],
    ],
    [
      'assertEqual became assertIsNotNone',
      '        self.assertEqual(add(1), 1)',
      '        self.assertIsNotNone(add(1))',
      [loosened],
    ],
    [
      'assertEqual became assertIn',
      '        self.assertEqual(add(1), 1)',
      '        self.assertIn(add(1), [1, 2])',
      [loosened],
    ],
    [
      'a mock called with anything',
      '        m.assert_called_with(1)',
      '        m.assert_called_with(ANY)',
      [loosened],
    ],
    ['a mock called somehow', '        m.assert_called_with(1)', '        m.assert_called()', [loosened]],
    [
      'fewer places',
      '        self.assertAlmostEqual(f(), 1.5, places=7)',
      '        self.assertAlmostEqual(f(), 1.5, places=1)',
      [loosened],
    ],
    [
      'skipped',
      '        self.assertEqual(add(1), 1)',
      '        self.skipTest("later")\n        self.assertEqual(add(1), 1)',
      [skipped],
    ],

    [
      'silent: assertTrue became assertEqual',
      '        self.assertTrue(add(1) == 1)',
      '        self.assertEqual(add(1), 1)',
      [],
    ],
    [
      'silent: assertEquals became assertEqual',
      '        self.assertEquals(add(1), 1)',
      '        self.assertEqual(add(1), 1)',
      [],
    ],
    [
      'silent: from unittest to pytest',
      '        self.assertEqual(add(1), 1)',
      '        assert add(1) == 1',
      [],
    ],
  ]),
]
