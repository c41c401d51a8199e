import { type Change, changesOf, focused, loosened, removed, skipped } from './change.ts'

const asIs = (body: string) => `${body}\n`
const goTest = (body: string) =>
  `package add\n\nfunc TestAdds(t *testing.T) {\n${body}\n}\n\nfunc TestStays(t *testing.T) {\n\trun(t)\n}\n`
const rustTest = (body: string) =>
  `fn add() {}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn adds() {\n${body}\n    }\n}\n`
const javaTest = (body: string) => `class AddTest {\n${body}\n}\n`
const inMethod = (body: string) => javaTest(`    @Test\n    void adds() {\n${body}\n    }`)
const rspec = (body: string) => `RSpec.describe Add do\n  it 'adds' do\n${body}\n  end\nend\n`
const csharpTest = (body: string) => `public class AddTests\n{\n${body}\n}\n`
const inFact = (body: string) => csharpTest(`    [Fact]\n    public void Adds()\n    {\n${body}\n    }`)

export const otherChanges: Change[] = [
  ...changesOf('add_test.go', goTest, [
    [
      'an assertion is gone',
      '\tif got != 1 {\n\t\tt.Errorf("got %d", got)\n\t}\n\trun()',
      '\trun()',
      [removed],
    ],
    [
      'a failure is only logged',
      '\tif got != 1 {\n\t\tt.Errorf("got %d", got)\n\t}',
      '\tif got != 1 {\n\t\tt.Logf("got %d", got)\n\t}',
      [removed],
    ],
    [
      'skipped',
      '\tif got != 1 {\n\t\tt.Fatal("no")\n\t}',
      '\tt.Skip("later")\n\tif got != 1 {\n\t\tt.Fatal("no")\n\t}',
      [skipped],
    ],
    ['Equal became NotNil', '\tassert.Equal(t, 1, got)', '\tassert.NotNil(t, got)', [loosened]],
    [
      'Equal became Contains',
      '\trequire.Equal(t, "abc", got)',
      '\trequire.Contains(t, got, "a")',
      [loosened],
    ],
    ['anything goes', '\tm.On("Get", 1).Return(2)', '\tm.On("Get", mock.Anything).Return(2)', [loosened]],
    [
      'a wider delta',
      '\tassert.InDelta(t, 1.0, got, 0.01)',
      '\tassert.InDelta(t, 1.0, got, 0.5)',
      [loosened],
    ],
    [
      'silent: from plain to testify',
      '\tif got != 1 {\n\t\tt.Errorf("got %d", got)\n\t}',
      '\tassert.Equal(t, 1, got)',
      [],
    ],
    [
      'silent: words in a string',
      '\tassert.Equal(t, 1, got)',
      '\tlog("t.Skip()", `t.Skip(`) // t.Skip(\n\tassert.Equal(t, 1, got)',
      [],
    ],
    [
      'silent: a table',
      '\tassert.Equal(t, 1, f(1))\n\tassert.Equal(t, 2, f(2))',
      '\tfor _, c := range cases {\n\t\tassert.Equal(t, c.want, f(c.in))\n\t}',
      [],
    ],
  ]),
  ...changesOf('add_test.go', asIs, [
    [
      'renamed so that go does not find it',
      'package add\n\nfunc TestAdds(t *testing.T) {\n\trun(t)\n}',
      'package add\n\nfunc testAdds(t *testing.T) {\n\trun(t)\n}',
      [skipped],
    ],
    [
      'built no longer',
      'package add\n\nfunc TestAdds(t *testing.T) {\n\trun(t)\n}',
      '//go:build never\n\npackage add\n\nfunc TestAdds(t *testing.T) {\n\trun(t)\n}',
      [skipped],
    ],
    [
      'a test is gone',
      'package add\n\nfunc TestA(t *testing.T) {\n\trun(t)\n}\n\nfunc TestB(t *testing.T) {\n\trun(t)\n}',
      'package add\n\nfunc TestA(t *testing.T) {\n\trun(t)\n}',
      [removed],
    ],
  ]),
  ...changesOf('src/add.rs', rustTest, [
    [
      'an assertion is gone',
      '        assert_eq!(add(1), 1);\n        assert_eq!(add(2), 2);',
      '        assert_eq!(add(1), 1);',
      [removed],
    ],
    [
      'assert_eq became is_ok',
      '        assert_eq!(add(1), Ok(1));',
      '        assert!(add(1).is_ok());',
      [loosened],
    ],
    [
      'assert_eq became contains',
      '        assert_eq!(add(1), "abc");',
      '        assert!(add(1).contains("a"));',
      [loosened],
    ],
    ['it can not fail any more', '        assert_eq!(add(1), 1);', '        assert!(true);', [loosened]],
    [
      'silent: assert became assert_eq',
      '        assert!(add(1) == 1);',
      '        assert_eq!(add(1), 1);',
      [],
    ],
    [
      'silent: set differently',
      '        assert_eq!(add(1), 1);',
      '        assert_eq!(\n            add(1),\n            1\n        );',
      [],
    ],
    [
      'silent: words in a comment',
      '        assert_eq!(add(1), 1);',
      '        // #[ignore] would be wrong\n        assert_eq!(add(1), 1);',
      [],
    ],
  ]),
  ...changesOf('src/add.rs', asIs, [
    [
      'ignored',
      'mod tests {\n    #[test]\n    fn adds() {\n        run();\n    }\n}',
      'mod tests {\n    #[test]\n    #[ignore]\n    fn adds() {\n        run();\n    }\n}',
      [skipped],
    ],
    [
      'no longer a test',
      'mod tests {\n    #[test]\n    fn adds() {\n        run();\n    }\n}',
      'mod tests {\n    fn adds() {\n        run();\n    }\n}',
      [skipped],
    ],
    [
      'silent: an assertion of the program',
      'fn add() {\n    assert!(ready());\n    run();\n}',
      'fn add() {\n    run();\n}',
      [],
    ],
    [
      'silent: another kind of test',
      'mod tests {\n    #[test]\n    fn adds() {\n        run();\n    }\n}',
      'mod tests {\n    #[tokio::test]\n    fn adds() {\n        run();\n    }\n}',
      [],
    ],
  ]),
  ...changesOf('src/test/java/AddTest.java', inMethod, [
    [
      'an assertion is gone',
      '        assertEquals(1, add(1));\n        assertEquals(2, add(2));',
      '        assertEquals(1, add(1));',
      [removed],
    ],
    [
      'assertEquals became assertNotNull',
      '        assertEquals(1, add(1));',
      '        assertNotNull(add(1));',
      [loosened],
    ],
    [
      'assertEquals became assertTrue',
      '        assertEquals("abc", add(1));',
      '        assertTrue(add(1).contains("a"));',
      [loosened],
    ],
    [
      'isEqualTo became isNotNull',
      '        assertThat(add(1)).isEqualTo(1);',
      '        assertThat(add(1)).isNotNull();',
      [loosened],
    ],
    ['anything goes', '        verify(m).add(1);', '        verify(m).add(anyInt());', [loosened]],
    [
      'assumed',
      '        assertEquals(1, add(1));',
      '        assumeTrue(ready());\n        assertEquals(1, add(1));',
      [skipped],
    ],
    [
      'silent: from JUnit to AssertJ',
      '        assertEquals(1, add(1));',
      '        assertThat(add(1)).isEqualTo(1);',
      [],
    ],
    [
      'silent: set differently',
      '        assertThat(add(1)).isEqualTo(1);',
      '        assertThat(add(1))\n            .isEqualTo(1);',
      [],
    ],
    [
      'silent: words in a string',
      '        assertEquals(1, add(1));',
      '        log("@Disabled @Ignore");\n        assertEquals(1, add(1));',
      [],
    ],
  ]),
  ...changesOf('src/test/java/AddTest.java', javaTest, [
    [
      'disabled',
      '    @Test\n    void adds() {\n        run();\n    }',
      '    @Disabled\n    @Test\n    void adds() {\n        run();\n    }',
      [skipped],
    ],
    [
      'ignored',
      '    @Test\n    public void adds() {\n        run();\n    }',
      '    @Ignore("later")\n    @Test\n    public void adds() {\n        run();\n    }',
      [skipped],
    ],
    [
      'not enabled',
      '    @Test\n    public void adds() {\n        run();\n    }',
      '    @Test(enabled = false)\n    public void adds() {\n        run();\n    }',
      [skipped],
    ],
    [
      'no longer a test',
      '    @Test\n    void adds() {\n        run();\n    }',
      '    void adds() {\n        run();\n    }',
      [skipped],
    ],
    [
      'silent: a table',
      '    @Test\n    void adds() {\n        assertEquals(1, f(1));\n        assertEquals(2, f(2));\n    }',
      '    @ParameterizedTest\n    @ValueSource(ints = {1, 2})\n    void adds(int n) {\n        assertEquals(n, f(n));\n    }',
      [],
    ],
  ]),
  ...changesOf('spec/add_spec.rb', rspec, [
    [
      'an assertion is gone',
      '    expect(add(1)).to eq(1)\n    expect(add(2)).to eq(2)',
      '    expect(add(1)).to eq(1)',
      [removed],
    ],
    ['eq became be_truthy', '    expect(add(1)).to eq(1)', '    expect(add(1)).to be_truthy', [loosened]],
    [
      'eq became include',
      "    expect(add(1)).to eq('abc')",
      "    expect(add(1)).to include('a')",
      [loosened],
    ],
    ['pending', '    expect(add(1)).to eq(1)', "    pending 'later'\n    expect(add(1)).to eq(1)", [skipped]],
    [
      'silent: words in a string',
      '    expect(add(1)).to eq(1)',
      "    log 'skip'\n    # skip\n    expect(add(1)).to eq(1)",
      [],
    ],
    ['silent: be_truthy became eq', '    expect(add(1)).to be_truthy', '    expect(add(1)).to eq 1', []],
  ]),
  ...changesOf('spec/add_spec.rb', asIs, [
    ['skipped by x', "it 'adds' do\n  run\nend", "xit 'adds' do\n  run\nend", [skipped]],
    ['skipped by a tag', "it 'adds' do\n  run\nend", "it 'adds', skip: 'later' do\n  run\nend", [skipped]],
    ['only one', "it 'adds' do\n  run\nend", "fit 'adds' do\n  run\nend", [focused]],
    ['only one by a tag', "it 'adds' do\n  run\nend", "it 'adds', :focus do\n  run\nend", [focused]],
  ]),
  ...changesOf('test/add_test.rb', asIs, [
    [
      'assert_equal became assert',
      'def test_a\n  assert_equal 1, f\nend',
      'def test_a\n  assert f\nend',
      [loosened],
    ],
    [
      'assert_equal became refute_nil',
      'def test_a\n  assert_equal 1, f\nend',
      'def test_a\n  refute_nil f\nend',
      [loosened],
    ],
    [
      'skipped',
      'def test_a\n  assert_equal 1, f\nend',
      "def test_a\n  skip 'later'\n  assert_equal 1, f\nend",
      [skipped],
    ],
    [
      'renamed so that minitest does not find it',
      'def test_adds\n  assert_equal 1, f\nend',
      'def xtest_adds\n  assert_equal 1, f\nend',
      [skipped],
    ],
    [
      'silent: a test was renamed',
      'def test_adds\n  assert_equal 1, f\nend',
      'def test_sums\n  assert_equal 1, f\nend',
      [],
    ],
  ]),
  ...changesOf('Add.Tests/AddTests.cs', inFact, [
    [
      'an assertion is gone',
      '        Assert.Equal(1, Add(1));\n        Assert.Equal(2, Add(2));',
      '        Assert.Equal(1, Add(1));',
      [removed],
    ],
    [
      'Equal became NotNull',
      '        Assert.Equal(1, Add(1));',
      '        Assert.NotNull(Add(1));',
      [loosened],
    ],
    [
      'AreEqual became IsTrue',
      '        Assert.AreEqual(1, Add(1));',
      '        Assert.IsTrue(Add(1));',
      [loosened],
    ],
    [
      'Be became NotBeNull',
      '        Add(1).Should().Be(1);',
      '        Add(1).Should().NotBeNull();',
      [loosened],
    ],
    [
      'EqualTo became Not.Null',
      '        Assert.That(Add(1), Is.EqualTo(1));',
      '        Assert.That(Add(1), Is.Not.Null);',
      [loosened],
    ],
    [
      'anything goes',
      '        mock.Verify(m => m.Add(1));',
      '        mock.Verify(m => m.Add(It.IsAny<int>()));',
      [loosened],
    ],
    [
      'inconclusive',
      '        Assert.Equal(1, Add(1));',
      '        Assert.Inconclusive();\n        Assert.Equal(1, Add(1));',
      [skipped],
    ],
    [
      'silent: from xUnit to FluentAssertions',
      '        Assert.Equal(1, Add(1));',
      '        Add(1).Should().Be(1);',
      [],
    ],
    [
      'silent: words in a string',
      '        Assert.Equal(1, Add(1));',
      '        Log("[Ignore]"); // [Ignore]\n        Assert.Equal(1, Add(1));',
      [],
    ],
  ]),
  ...changesOf('Add.Tests/AddTests.cs', csharpTest, [
    [
      'skipped',
      '    [Fact]\n    public void Adds()\n    {\n    }',
      '    [Fact(Skip = "later")]\n    public void Adds()\n    {\n    }',
      [skipped],
    ],
    [
      'ignored',
      '    [Test]\n    public void Adds()\n    {\n    }',
      '    [Test]\n    [Ignore("later")]\n    public void Adds()\n    {\n    }',
      [skipped],
    ],
    [
      'no longer a test',
      '    [TestMethod]\n    public void Adds()\n    {\n    }',
      '    public void Adds()\n    {\n    }',
      [skipped],
    ],
    [
      'a row of a table is gone',
      '    [Theory]\n    [InlineData(1)]\n    [InlineData(2)]\n    public void Adds(int n)\n    {\n    }',
      '    [Theory]\n    [InlineData(1)]\n    public void Adds(int n)\n    {\n    }',
      [removed],
    ],
    [
      'silent: a fact became a theory',
      '    [Fact]\n    public void Adds()\n    {\n        Assert.Equal(1, F(1));\n    }',
      '    [Theory]\n    [InlineData(1)]\n    public void Adds(int n)\n    {\n        Assert.Equal(n, F(n));\n    }',
      [],
    ],
  ]),
]
