import type { Language } from '../language.ts'

/** xUnit, NUnit, MSTest, FluentAssertions, Shouldly, Moq. */
export const csharp: Language = {
  files: /\.cs$/,
  testNames: /(?:Tests?|Specs?|Facts)\.cs$/,
  found: 'by content',
  testFolders: /(?:^|\/)(?:[^/]*\.(?:[A-Za-z]*Tests?|Specs)|[Tt]ests?)\//,
  inline: null,
  syntax: {
    lineComments: ['//'],
    blockComments: [['/*', '*/']],
    strings: [
      { open: '"""', close: '"""', lines: 'many', escapedBy: null },
      { open: '@"', close: '"', lines: 'one', escapedBy: null },
      { open: '"', close: '"', lines: 'one', escapedBy: '\\' },
      { open: "'", close: "'", lines: 'one', escapedBy: '\\' },
    ],
  },
  declares:
    /^\s*(?:\[\w+\]\s*)?(?:(?:public|internal|private|protected|static|async|virtual|override)\s+){1,5}(?:void|Task|ValueTask)\s+(\w+)\s*\(/,
  functions: null,
  attribute:
    /^\s*\[(?:Fact|Theory|Test|TestMethod|TestCase|DataTestMethod|SkippableFact)\b[^\n]{0,200}\]\s*$/,
  assertion:
    /\b(?:String|Collection)?Assert\.\w+(?:<[^>]{0,100}>)?\(|\bAssert[A-Z]\w*\(|\.Should\(\)|\.Should[A-Z]\w*\(|\.Verify\w*\(|\b(?:Verify|Expect|Check)[A-Z]\w*\(|\[(?:InlineData|TestCase|DataRow)\b/g,
  ranks: [
    [0, /\bAssert\.(?:True|IsTrue|That)\(\s*true\b|\bAssert\.Pass\(|\|\|\s*true\s*\)/g],
    [
      1,
      /\bAssert\.(?:True|IsTrue|NotNull|IsNotNull|DoesNotThrow\w*|NotEmpty|IsNotEmpty)\((?!\s*$)(?![^\n]{0,400}(?:==|\.Equals\())|\.Should\(\)\.(?:NotBeNull|NotThrow\w*|NotBeEmpty|BeTrue|NotBeNullOrEmpty)\b|\.Should(?:NotBeNull|NotThrow|NotBeEmpty|BeTrue)\(|\bIs\.(?:Not\.(?:Null|Empty)|True)\b|\bThrows\.Nothing\b/g,
    ],
    [
      2,
      /\bAssert\.(?:Contains|StartsWith|EndsWith|Matches|InRange|IsType|IsAssignableFrom|IsInstanceOf\w*|Greater\w*|Less\w*)(?:<[^>]{0,100}>)?\(|\bStringAssert\.\w+\(|\.Should\(\)\.(?:Contain\w*|StartWith|EndWith|Match|BeGreater\w*|BeLess\w*|BeApproximately|BeCloseTo|BeOfType|BeInRange)\b|\.Should(?:Contain|StartWith|BeGreaterThan|BeLessThan|BeOfType)\b|\b(?:Does\.(?:Contain|StartWith|Match)|Is\.(?:GreaterThan|LessThan|InstanceOf|AtLeast|InRange))\b/g,
    ],
    [
      3,
      /\bAssert\.(?:Equal|AreEqual|Same|AreSame|StrictEqual|Equivalent|Collection|Single|Empty|IsEmpty|Null|IsNull|False|IsFalse|True|IsTrue|Throws\w*)(?:<[^>]{0,100}>)?\(|\bCollectionAssert\.\w+\(|\.Should\(\)\.(?:Be|Equal|BeEquivalentTo|BeSameAs|HaveCount|BeNull|BeEmpty|BeFalse|Throw\w*)\b|\.ShouldBe\w*\(|\bIs\.(?:EqualTo|SameAs|EquivalentTo|Null|Empty|False)\b|\bHas\.(?:Count|Length)\b/g,
    ],
  ],
  wildcard: /\bIt\.IsAny<|\bArg\.Any<|\bIt\.Is(?:NotNull|In)?<|\bA<\w{1,80}>\._/g,
  skip: /^\s*#if\b|\[(?:Ignore|Explicit)\b|\[[^\]]{0,300}\b(?:Skip|Ignore|IgnoreReason)\s*=|\bAssert\.(?:Ignore|Inconclusive|Skip\w*)\(|\bSkip\.(?:If|IfNot)\(/g,
  focus: null,
  table:
    /\[(?:Theory|MemberData|ClassData|TestCaseSource|DynamicData|ValueSource)\b|\bforeach\s*\(|\bfor\s*\(|\bAssert\.(?:All|Multiple|Collection)\(/,
}
