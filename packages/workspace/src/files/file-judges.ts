import { type Judge, withInfo } from '@jurist/core'
import {
  checkOptions,
  described,
  describeJudge,
  type OptionDescriptions,
  option,
  optionInvalid,
  pathOption,
  printed,
} from '@jurist/core/internal'
import { type ComparisonRules, ruleOptions } from './comparator.js'
import type { Language } from './language.js'

/**
 * Passes when a Java file is equivalent to the reference: the order of members, imports and modifiers, comments and
 * layout do not count. Checks: `file_exists`, `file_readable`, `content_match`. Abstains without a reference.
 *
 * @example
 * import { javaFile } from '@jurist/workspace/files'
 *
 * javaFile('src/main/java/shop/Cart.java')
 */
export function javaFile(path: string, options?: FileOptions): Judge {
  return fileJudge('javaFile', 'java', path, options)
}

/**
 * Passes when a TypeScript or JavaScript file (JSX too) is equivalent to the reference: style, semicolons and the order of function
 * declarations do not count.
 * Checks: `file_exists`, `file_readable`, `content_match`. Abstains without a reference.
 *
 * @example
 * import { scriptFile } from '@jurist/workspace/files'
 *
 * scriptFile('src/greeter.ts', { ignoreImportOrder: true })
 */
export function scriptFile(path: string, options?: FileOptions): Judge {
  return fileJudge('scriptFile', 'script', path, options)
}

/**
 * Passes when a Python file is equivalent to the reference: comments, quotes and layout do not count, docstrings do.
 * Checks: `file_exists`, `file_readable`, `content_match`. Abstains without a reference.
 *
 * @example
 * import { pythonFile } from '@jurist/workspace/files'
 *
 * pythonFile('tool.py')
 */
export function pythonFile(path: string, options?: FileOptions): Judge {
  return fileJudge('pythonFile', 'python', path, options)
}

/**
 * Passes when a Maven POM describes the same project as the reference.
 * Checks: `file_exists`, `file_readable`, `content_match`. Abstains without a reference.
 *
 * @example
 * import { mavenPom } from '@jurist/workspace/files'
 *
 * mavenPom('server/pom.xml', { dependencyOrder: 'keep' })
 */
export function mavenPom(path: string = 'pom.xml', options?: FileOptions): Judge {
  return fileJudge('mavenPom', 'maven-pom', path, options)
}

/**
 * Passes when an XML file has the same elements, attributes and text as the reference. Checks: `file_exists`,
 * `file_readable`, `content_match`. Abstains without a reference.
 *
 * @example
 * import { xmlFile } from '@jurist/workspace/files'
 *
 * xmlFile('conf/beans.xml', { siblingOrder: 'strict' })
 */
export function xmlFile(path: string, options?: FileOptions): Judge {
  return fileJudge('xmlFile', 'xml', path, options)
}

/**
 * Passes when a JSON file has the same value as the reference: the order of keys and the spelling of numbers do not
 * count. Checks: `file_exists`, `file_readable`, `content_match`. Abstains without a reference.
 *
 * @example
 * import { jsonFile } from '@jurist/workspace/files'
 *
 * jsonFile('data.json')
 */
export function jsonFile(path: string, options?: FileOptions): Judge {
  return fileJudge('jsonFile', 'json', path, options)
}

/**
 * Passes when a YAML file has the same value as the reference: style, anchors and the order of keys do not count.
 * Checks: `file_exists`, `file_readable`, `content_match`. Abstains without a reference.
 *
 * @example
 * import { yamlFile } from '@jurist/workspace/files'
 *
 * yamlFile('app.yaml')
 */
export function yamlFile(path: string, options?: FileOptions): Judge {
  return fileJudge('yamlFile', 'yaml', path, options)
}

/**
 * Passes when a TOML file has the same value as the reference: the form and the order of tables do not count. Checks:
 * `file_exists`, `file_readable`, `content_match`. Abstains without a reference.
 *
 * @example
 * import { tomlFile } from '@jurist/workspace/files'
 *
 * tomlFile('app.toml')
 */
export function tomlFile(path: string, options?: FileOptions): Judge {
  return fileJudge('tomlFile', 'toml', path, options)
}

/**
 * Passes when a Java properties file has the same keys and values as the reference.
 * Checks: `file_exists`, `file_readable`, `content_match`. Abstains without a reference.
 *
 * @example
 * import { propertiesFile } from '@jurist/workspace/files'
 *
 * propertiesFile('app.properties')
 */
export function propertiesFile(path: string, options?: FileOptions): Judge {
  return fileJudge('propertiesFile', 'properties', path, options)
}

/**
 * Passes when a package.json is equivalent to the reference: as JSON, but the order inside `exports` and `imports`
 * counts, and that of `keywords` does not. Checks: `file_exists`, `file_readable`, `content_match`. Abstains without a
 * reference.
 *
 * @example
 * import { packageJson } from '@jurist/workspace/files'
 *
 * packageJson()
 */
export function packageJson(path: string = 'package.json', options?: FileOptions): Judge {
  return fileJudge('packageJson', 'package-json', path, options)
}

/**
 * Passes when a text file has the same words as the reference: white space does not count.
 * Checks: `file_exists`, `file_readable`, `content_match`. Abstains without a reference.
 *
 * @example
 * import { textFile } from '@jurist/workspace/files'
 *
 * textFile('out.txt', { reference: 'expected/out.txt' })
 */
export function textFile(path: string, options?: FileOptions): Judge {
  return fileJudge('textFile', 'text', path, options)
}

const fileOptions: OptionDescriptions<FileOptions> = {
  ...ruleOptions,
  reference: {
    ...described(option.string, 'The path of the file in the reference. Default: the same path.'),
    isInside: true,
  },
}

const compared: readonly (readonly [factory: (path: string, options?: FileOptions) => Judge, file: string])[] = [
  [javaFile, 'a Java file'],
  [scriptFile, 'a TypeScript or JavaScript file'],
  [pythonFile, 'a Python file'],
  [mavenPom, 'a Maven POM'],
  [xmlFile, 'an XML file'],
  [jsonFile, 'a JSON file'],
  [yamlFile, 'a YAML file'],
  [tomlFile, 'a TOML file'],
  [propertiesFile, 'a Java properties file'],
  [packageJson, 'a package.json'],
  [textFile, 'a text file'],
]
for (const [factory, file] of compared)
  describeJudge<{ readonly path: string } & FileOptions>(factory, {
    passes: `${file} is equivalent to the reference`,
    options: { path: pathOption, ...fileOptions },
    // The factories of files with a usual name have a default.
    required: factory === mavenPom || factory === packageJson ? [] : ['path'],
    make: ({ path, ...options }) => factory(path, options),
  })

/** Options of a judge of one file. */
export interface FileOptions extends ComparisonRules {
  /** The path inside the reference. Default: the path of the judged file. */
  readonly reference?: string
}

/**
 * Creates a judge that compares one file of the workspace with one of the reference.
 *
 * An invalid path, or one that leaves the workspace, is an ERROR of the judgment: `path-invalid` or `path-escape`.
 *
 * @throws `option-invalid` for an invalid option and for a path that is not a string
 */
function fileJudge(name: string, language: Language, path: string, options: FileOptions | undefined): Judge {
  const { reference, ...rules } = checkOptions(name, options, fileOptions)
  if (typeof path !== 'string') refusePath(name, path)
  const judge: Judge = async (context) => {
    // Loaded on first use: a program that imports a judge may never run it.
    const { judgeFile } = await import('./judge-file.js')
    return judgeFile({ path, referencePath: reference ?? path, language, rules }, context)
  }
  return withInfo(judge, { name, options: { path, ...options } })
}

function refusePath(name: string, path: unknown): never {
  optionInvalid(
    'path',
    `${name}: "path" must be the path of a file (got ${printed(path)}). Name one, such as "README.md".`,
  )
}
