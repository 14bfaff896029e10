export type LanguageName = 'javascript' | 'python' | 'java' | 'go' | 'rust' | 'c++' | 'c#'

/** The file names of a programming language. */
export interface CodeLanguage {
  readonly name: LanguageName
  /** Whether a file contains code of this language. Tests count, but declarations and settings of tools do not. */
  isSource(path: string): boolean
  /** Whether a file is a test, by the conventions of the language. */
  isTest(path: string): boolean
  /** The beginning of a comment that ends with its line. */
  readonly comment: '//' | '#'
}

interface FileNames {
  readonly source: RegExp
  readonly except?: RegExp
  readonly test: RegExp
  readonly comment?: '#'
}

const fileNames: Readonly<Record<LanguageName, FileNames>> = {
  javascript: {
    source: /\.[cm]?[jt]sx?$/,
    except: /\.d\.[cm]?ts$|(?:^|\/)[^/]*\.config\.[cm]?[jt]s$/,
    test: /(?:^|\/)(?:tests?|__tests__|specs?)\/.*\.[cm]?[jt]sx?$|[._-](?:test|spec)s?\.[cm]?[jt]sx?$/,
  },
  python: { source: /\.py$/, test: /(?:^|\/)(?:test_[^/]*|[^/]*_test|tests?\/[^/]*)\.py$/, comment: '#' },
  java: { source: /\.java$/, test: /(?:^|\/)src\/test\/.*\.java$|Tests?\.java$/ },
  go: { source: /\.go$/, test: /_test\.go$/ },
  rust: { source: /\.rs$/, test: /(?:^|\/)tests\/.*\.rs$/ },
  'c++': {
    source: /\.(?:cc|cpp|cxx|c|h|hpp|hh)$/,
    test: /(?:^|\/)tests?\/.*\.(?:cc|cpp|cxx|c|h|hpp|hh)$/i,
  },
  'c#': { source: /\.cs$/, test: /(?:^|\/)[Tt]ests?\/.*\.cs$|Tests?(?:\/.*)?\.cs$/ },
}

export function codeLanguage(name: LanguageName): CodeLanguage {
  const { source, except, test, comment = '//' } = fileNames[name]
  return {
    name,
    isSource: (path) => source.test(path) && except?.test(path) !== true,
    isTest: (path) => test.test(path),
    comment,
  }
}

const languages = (Object.keys(fileNames) as LanguageName[]).map(codeLanguage)

/** Formats a string as a comment in the language of a source. */
export function commentIn(path: string, text: string): string {
  const { comment = '//' } = languages.find((one) => one.isSource(path)) ?? {}
  return text.replaceAll(/^/gm, `${comment} `)
}

const testDirectory = /(?:^|\/)(?:tests?|__tests__|specs?|testdata)\//

/** Whether a file is a test or is next to tests, by the conventions of its language. */
export function isTestFile(path: string): boolean {
  return testDirectory.test(path) || languages.some((one) => one.isTest(path))
}
