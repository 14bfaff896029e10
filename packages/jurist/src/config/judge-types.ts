import { resolve } from 'node:path'
import { fileContent, fileExists, type Judge, JuristError, outputText, supersetOf } from '@jurist/core'
import { checkOptions, isPlainObject, option } from '@jurist/core/internal'

/** What follows `type` in a description. */
type JudgeOptions = Readonly<Record<string, unknown>>

/** Makes a judge of its options; paths of directories are relative to `directory`. */
type MakeJudge = (options: JudgeOptions, directory: string) => Judge | Promise<Judge>

const commands = () => import('@jurist/workspace/commands')
const coverage = () => import('@jurist/workspace/coverage')
const files = () => import('@jurist/workspace/files')

/**
 * Judges by their names in YAML and JSON: the factories' names in kebab case, each imported when it is used. A factory
 * checks its own options, so that both forms of a config have the same messages.
 */
export const judgeTypes: Readonly<Record<string, MakeJudge>> = {
  'file-exists': (options) => fileExists(pathOf('file-exists', checkOptions('file-exists', options, onlyPath))),
  'file-content': ({ path, ...rule }) => fileContent(pathOf('file-content', { path }), given(rule)),
  'output-text': (rule) => outputText(given(rule)),
  'superset-of': async (options, directory) => supersetOf(await withWorkspace(options, 'reference', directory)),
  recorded: async ({ judge, ...options }) =>
    (await import('@jurist/experiment/calibrate')).recorded(given(judge), given(options)),
  'command-succeeds': async ({ command, ...options }) =>
    (await commands()).commandSucceeds(given(command), given(options)),
  'build-succeeds': async (options) => byTool('build-succeeds', (await commands()).buildSucceeds, options),
  'tests-pass': async ({ overlay, ...options }, directory) => {
    const laid = overlay === undefined ? {} : { overlay: await withWorkspace<unknown>(overlay, 'from', directory) }
    return byTool('tests-pass', (await commands()).testsPass, { ...options, ...laid })
  },
  'class-version': async (options) => (await commands()).classVersion(options),
  'matches-reference': async ({ reference, ...options }, directory) =>
    (await files()).matchesReference({
      ...options,
      ...(reference === undefined ? {} : { reference: resolve(directory, given(reference)) }),
    }),
  'java-file': ofFile('java-file', async () => (await files()).javaFile),
  'script-file': ofFile('script-file', async () => (await files()).scriptFile),
  'python-file': ofFile('python-file', async () => (await files()).pythonFile),
  'maven-pom': ofFile('maven-pom', async () => (await files()).mavenPom, 'pom.xml'),
  'xml-file': ofFile('xml-file', async () => (await files()).xmlFile),
  'json-file': ofFile('json-file', async () => (await files()).jsonFile),
  'yaml-file': ofFile('yaml-file', async () => (await files()).yamlFile),
  'toml-file': ofFile('toml-file', async () => (await files()).tomlFile),
  'properties-file': ofFile('properties-file', async () => (await files()).propertiesFile),
  'package-json': ofFile('package-json', async () => (await files()).packageJson, 'package.json'),
  'text-file': ofFile('text-file', async () => (await files()).textFile),
  'coverage-preserved': async (options) => (await coverage()).coveragePreserved(options),
  'coverage-improved': async (options) => (await coverage()).coverageImproved(options),
  'coverage-at-least': async ({ percent, ...options }) =>
    (await coverage()).coverageAtLeast(given(percent ?? null), given(options)),
}

const onlyPath = { path: option.string }

/** A value of a description as the factory declares it: the factory looks at it itself. */
function given<Value>(value: unknown): Value {
  return value as Value
}

function refused(type: string, problem: string, name: string): JuristError<'option-invalid'> {
  return new JuristError('option-invalid', `${type}: ${problem}`, { option: name })
}

function pathOf(type: string, { path }: { readonly path?: unknown }, otherwise?: string): string {
  const found = path ?? otherwise
  if (typeof found === 'string' && found.trim() !== '') return found
  throw refused(type, 'say which file of the workspace, such as path: README.md.', 'path')
}

function ofFile(
  type: string,
  load: () => Promise<(path: string, options?: object) => Judge>,
  usual?: string,
): MakeJudge {
  return async ({ path, ...options }) => (await load())(pathOf(type, { path }, usual), options)
}

/** A judge of `{tool, arguments?, …}` or `{command, …}`. */
function byTool(type: string, factories: object, { tool, ...described }: JudgeOptions): Judge {
  const make = new Map<string, (...words: readonly unknown[]) => Judge>(Object.entries(factories))
  const wanted = tool ?? (described.command === undefined ? undefined : 'command')
  const factory = make.get(String(wanted))
  if (factory === undefined)
    throw refused(type, `tool must be one of ${[...make.keys()].join(', ')}, not ${String(wanted)}.`, 'tool')
  if (wanted === 'command') {
    const { command, ...options } = described
    return factory(command, options)
  }
  if (wanted === 'detect') return factory(described)
  const { arguments: words = [], ...options } = described
  if (!option.strings.holds(words)) throw refused(type, 'arguments must be a list of texts.', 'arguments')
  return factory(...(words as readonly string[]), options)
}

/** Options in which the path of a directory becomes a workspace that nobody can write to. */
async function withWorkspace<Options>(options: unknown, name: string, directory: string): Promise<Options> {
  if (!isPlainObject(options) || typeof options[name] !== 'string') return given(options)
  const { localWorkspace, readOnly } = await import('@jurist/workspace')
  return given({ ...options, [name]: readOnly(localWorkspace(resolve(directory, options[name]))) })
}
