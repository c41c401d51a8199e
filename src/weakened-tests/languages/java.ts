import type { Language } from '../language.ts'

/** JUnit 4 and 5, TestNG, AssertJ, Hamcrest, Mockito; Kotlin uses the same. */
export const java: Language = {
  files: /\.(?:java|kts?|groovy)$/,
  testNames: /(?:^|\/)(?:Test[A-Z][^/]*|[^/]*(?:Tests?|IT|TestCase|Spec))\.(?:java|kt|groovy)$/,
  found: 'by name',
  testFolders: /(?:^|\/)src\/(?:test|integrationTest|androidTest|testFixtures)\//,
  inline: null,
  syntax: {
    lineComments: ['//'],
    blockComments: [['/*', '*/']],
    strings: [
      { open: '"""', close: '"""', lines: 'many', escapedBy: '\\' },
      { open: '"', close: '"', lines: 'one', escapedBy: '\\' },
      { open: "'", close: "'", lines: 'one', escapedBy: '\\' },
    ],
  },
  declares:
    /^\s*(?:@Test\s+)?(?:(?:public|protected|private|final|static|suspend)\s+){0,4}(?:void|fun)\s+(\w+|`[^`]{1,200}`)\s*\(/,
  functions: null,
  attribute: /^\s*@(?:Test|ParameterizedTest|RepeatedTest|TestFactory|TestTemplate|Property)\b[^\n]{0,200}$/,
  assertion:
    /\bassert(?!j\b|ions?\b)\w*\s*\(|\bassert\s|\bverify\w*\(|\b(?:expect|check)[A-Z]\w*\(|\bfail\(|\bAssert\.\w+\(|\bexpectedException\b|\b\w{1,60}\s+shouldBe\s/g,
  ranks: [
    [0, /\bassertTrue\(\s*true\b|\bassertThat\(\s*true\s*\)|\|\|\s*true\s*\)/g],
    [2, /\bassertTrue\([^\n]{0,400}(?:\.contains\(|\.startsWith\(|\.endsWith\(|\.matches\(|\s[<>]=?\s)/g],
    [
      1,
      /\bassert(?:True|NotNull|DoesNotThrow)\((?!\s*$)(?![^\n]{0,400}(?:==|\.equals\())|\.(?:isNotNull|isNotEmpty|isPresent|isTrue|doesNotThrowAnyException|isNotBlank)\(|\b(?:notNullValue|anything)\(|\bassertThatCode\b/g,
    ],
    [
      2,
      /\.(?:contains|containsAnyOf|containsKey|startsWith|endsWith|matches|isGreaterThan\w*|isLessThan\w*|isBetween|isCloseTo|isInstanceOf|isIn|hasSizeGreaterThan)\(|\b(?:containsString|hasItem|hasItems|instanceOf|greaterThan|lessThan|anyOf|closeTo)\(|\bassert(?:InstanceOf|Linesmatch)\(/g,
    ],
    [
      3,
      /\bassert(?:Equals|Same|ArrayEquals|IterableEquals|LinesMatch|Null|False|Throws\w*|ThatThrownBy)\(|\bassertTrue\(|\.(?:isEqualTo|isSameAs|containsExactly\w*|containsOnly\w*|hasSize|isEmpty|isNull|isFalse|isZero|hasMessage|isEqualToComparingFieldByField|usingRecursiveComparison)\(|\b(?:equalTo|is|sameInstance|hasSize|nullValue)\(/g,
    ],
  ],
  wildcard:
    /\b(?:ArgumentMatchers\.|Mockito\.)?any(?:String|Int|Long|Boolean|Double|List|Map|Set|Collection)?\(/g,
  skip: /@(?:Disabled|Ignore|DisabledOn\w+|DisabledIf\w*|EnabledIf\w*|EnabledOn\w+|Ignored)\b|@Test\s*\([^)]{0,200}\benabled\s*=\s*false|\b(?:assumeTrue|assumeFalse|assumeThat|assumingThat|abort)\(|\bthrow\s+new\s+SkipException\b/g,
  focus: null,
  table:
    /@(?:ParameterizedTest|ValueSource|CsvSource|MethodSource|EnumSource|RepeatedTest)\b|\bdataProvider\s*=|@Parameters\b|\bfor\s*\(|\.forEach\s*[({]|\bassertAll\(/,
}
