export const languages = [
  'java',
  'script',
  'python',
  'maven-pom',
  'xml',
  'json',
  'jsonc',
  'package-json',
  'yaml',
  'toml',
  'properties',
  'text',
  'text-lines',
  'text-exact',
  'bytes',
] as const

/**
 * The language as which a file is compared. `text` ignores white space, `text-lines` only trailing space and blank
 * lines at the end, `text-exact` only line ends, `bytes` nothing.
 */
export type Language = (typeof languages)[number]

const byName = new Map<string, Language>([
  ['pom.xml', 'maven-pom'],
  ['package.json', 'package-json'],
  ...names('text-lines', 'Makefile Dockerfile .env .gitignore'),
])

const byExtension = new Map<string, Language>([
  ...names('jsonc', 'jsonc'),
  ...names('java', 'java'),
  ...names('script', 'ts mts cts tsx js mjs cjs jsx'),
  ...names('python', 'py pyi'),
  ...names('xml', 'xml xsd xsl xslt svg xhtml fxml wsdl'),
  ...names('json', 'json webmanifest'),
  ...names('yaml', 'yml yaml'),
  ...names('toml', 'toml'),
  ...names('properties', 'properties'),
  ...names('text-exact', 'md markdown diff patch tsv snap'),
  ...names(
    'text-lines',
    'mk sh bash bat ps1 rb go rs kt kts gradle groovy scala c h cc cpp cs swift php sql hs fs nim',
  ),
  ...names('text-lines', 'coffee sass pug haml csv rst ini env lock'),
])

const withComments = /(^|\/)(tsconfig|jsconfig)[^/]*\.json$|(^|\/)\.vscode\/[^/]+\.json$/

/**
 * Returns the language as which a file is compared, by its name alone; `text` for an unknown name.
 *
 * @example
 * import { languageOf } from '@jurist/workspace/files'
 *
 * languageOf('server/pom.xml') // 'maven-pom'
 */
export function languageOf(path: string): Language {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const named = byName.get(name)
  if (named !== undefined) return named
  if (withComments.test(path)) return 'jsonc'
  const dot = name.lastIndexOf('.')
  return (dot < 0 ? undefined : byExtension.get(name.slice(dot + 1))) ?? 'text'
}

function names(language: Language, list: string): readonly (readonly [string, Language])[] {
  return list.split(' ').map((name) => [name, language] as const)
}

/**
 * Creates a function that returns the language of a path: that of the first glob that matches, in the order of the
 * keys, otherwise that of the name. A glob without `/` is matched against the last segment alone.
 */
export async function languageResolver(
  globs: { readonly [glob: string]: Language } | undefined,
): Promise<(path: string) => Language> {
  if (globs === undefined) return languageOf
  const { default: picomatch } = await import('picomatch')
  const rules = Object.entries(globs).map(([glob, language]) => ({
    language,
    matches: picomatch(glob, { dot: true, basename: !glob.includes('/') }),
  }))
  return (path) => rules.find(({ matches }) => matches(path))?.language ?? languageOf(path)
}
