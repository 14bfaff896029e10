import { isTestFile } from '@jurist/kit/code-languages'
import { expect, test } from 'vitest'
import { languageOfSource } from '../src/mutate/language/languages.js'
import { toolchains } from '../src/probe/tricks.js'

test.each([
  ['src/age.ts', 'javascript'],
  ['src/Age.jsx', 'javascript'],
  ['src/age.d.ts', undefined],
  ['vitest.config.ts', undefined],
  ['age.py', 'python'],
  ['src/main/java/Age.java', 'java'],
  ['src/main/java/Contest.java', 'java'],
  ['age.go', 'go'],
  ['src/lib.rs', 'rust'],
  ['include/age.hpp', 'c++'],
  ['Age.cs', 'c#'],
  ['README.md', undefined],
])('%s is a source in %s, and no test', (path, language) => {
  expect(languageOfSource(path)?.name).toBe(language)
  expect(isTestFile(path)).toBe(false)
})

test.each([
  'src/age.test.ts',
  'src/age_spec.js',
  'test/age.js',
  '__tests__/age.jsx',
  'test_age.py',
  'age_test.py',
  'tests/age.py',
  'src/test/java/Age.java',
  'AgeTest.java',
  'age_test.go',
  'tests/age.rs',
  'Test/age.cpp',
  'AgeTests.cs',
  'Age.Tests/Year.cs',
])('%s is a test, and no source that can be mutated', (path) => {
  expect(isTestFile(path)).toBe(true)
  expect(languageOfSource(path)).toBeUndefined()
})

test.each(toolchains)('the toolchain of $name loads tricks', async (toolchain) => {
  expect(Object.keys(await toolchain.tricks()).length).toBeGreaterThan(3)
})
