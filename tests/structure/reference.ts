import { voteDescriptionOf, votes } from '@jurist/core/internal'
import { experimentReference } from '@jurist/experiment/internal'
import { groupBy } from '@jurist/kit/group-by'
import { probes } from '@jurist/vet'
import * as v from 'valibot'
import { commandNamed, commandNames } from '../../packages/jurist/src/command/catalog.js'
import { programFor } from '../../packages/jurist/src/command/program.js'
import { formats } from '../../packages/jurist/src/command-kit/report-formats.js'
import { commanderOption } from '../../packages/jurist/src/command-kit/subcommand.js'
import { judgesByType } from '../../packages/jurist/src/config/catalog.js'
import { configEntries } from '../../packages/jurist/src/config/config-options.js'
import { configSchema } from '../../packages/jurist/src/config/config-schema.js'

interface Schema {
  readonly type?: string | readonly string[]
  readonly description?: string
  readonly const?: unknown
  readonly default?: unknown
  readonly enum?: readonly unknown[]
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly $ref?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly $defs: Readonly<Record<string, Schema>>
}

const schema: Schema = JSON.parse(await configSchema())
const { experiment, calibration } = schema.$defs

const generated = '<!-- Written by `npm run fix` from the declarations in the code. -->'
const cell = (text: string) => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')
const code = (value: unknown) => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows.map((row) => row.map(cell))]
    .map((row) => `| ${row.join(' | ')} |`)
    .join('\n')
}

function typeOf(one: Schema): string {
  if (one.$ref !== undefined) return one.$ref.split('/').at(-1) ?? ''
  if (one.const !== undefined) return code(one.const)
  if (one.enum !== undefined) return one.enum.map(code).join(', ')
  const choices = one.anyOf ?? one.oneOf
  if (choices !== undefined) return [...new Set(choices.map(typeOf))].join(' or ')
  if (one.type !== 'array') return [one.type ?? 'JSON'].flat().join(' or ')
  return one.items === undefined ? 'array' : `array of ${typeOf(one.items)}`
}

/** The options of an object, but `type`: each with what it is, its type and its default. */
function optionTable(
  { properties = {}, required = [] }: Schema,
  leftOut: readonly string[] = ['type', 'mustDecide'],
): string {
  const entries = Object.entries(properties).filter(([name]) => !leftOut.includes(name))
  if (entries.length === 0) return 'It has no options.'
  return table(
    ['option', 'what it is', 'type', 'default'],
    entries.map(([name, one]) => [
      code(name),
      one.description?.replace(/ Default: .*\.$/, '') ?? '',
      typeOf(one),
      required.includes(name)
        ? 'required'
        : one.default === undefined
          ? (/ Default: (.*)\.$/.exec(one.description ?? '')?.[1] ?? '')
          : code(one.default),
    ]),
  )
}

function configPage(): string {
  const { thresholds } = schema.properties ?? {}
  const declared = Object.entries(configEntries).map(([name, entry]) => {
    const { description, standard } = v.getMetadata(entry)
    return [code(name), String(description), String(standard)]
  })
  const options = experimentReference().map(({ name, description, standard }) => [code(name), description, standard])
  const made = ['sandbox', 'setup'].map((name) => [
    code(name),
    `only in YAML and JSON: ${(experiment?.properties?.[name]?.description ?? '').replace(/ Default: .*$/, '')}`,
    'none',
  ])
  return `# Keys of the config

${generated}

[The config file](../guide/experiments.md#the-config-file) shows how they are used. Paths are relative to the config. Times are milliseconds, money is US dollars.

## Keys of the config

${table(['key', 'what it is', 'default'], declared)}

## Keys of an experiment

${table(['key', 'what it is', 'default'], [...options, ...made])}

## Thresholds

${optionTable(thresholds ?? schema)}

## Keys of a calibration

In YAML and JSON:

${optionTable(calibration ?? schema)}
`
}

async function judgesPage(): Promise<string> {
  const forms = (schema.$defs['jury']?.oneOf ?? []).flatMap((one) => {
    const type = one.properties?.['type']?.const
    return typeof type === 'string' ? [[type, one] as const] : []
  })
  const known = await judgesByType()
  const judges = forms
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([type, one]) => {
      const passes = known.get(type)?.passes
      return `### \`${type}\`\n\n${passes === undefined ? one.description : `Passes when ${passes}.`}\n\n${optionTable(one)}`
    })
  const described = Object.entries(votes).map(([key, make]) => ({ key, ...voteDescriptionOf(make) }))
  const voted = [...groupBy(described, ({ name = '' }) => name).values()].map((alike) => {
    const [{ passes = '', options = {} }] = alike
    const names = alike.map(({ key }) => code(key)).join(', ')
    const rows = Object.entries(options).map(([option, { description, default: standard }]) => [
      code(option),
      description,
      standard === undefined ? '' : code(standard),
    ])
    return `### ${names}\n\nPasses when ${passes}.\n\n${table(['option', 'what it is', 'default'], rows)}`
  })
  return `# Judges and votes by name

${generated}

In YAML and JSON a judge is its name and its options: \`{ type: command-succeeds, command: [node, main.js] }\`. In a program it is a function of the same name
in camel case, \`commandSucceeds(['node', 'main.js'])\`; the API reference has its parameters. Every judge may also have \`mustDecide\`, \`fail\` or \`error\`: what
an abstention becomes. [Judges, juries, cascades](../guide/judges.md) explains how they work together.

## Judges

${judges.join('\n\n')}

## Votes

A vote is its name, \`vote: majority\`, or has options: \`vote: { type: average, threshold: 0.8 }\`.

${voted.join('\n\n')}
`
}

type Called = NonNullable<Awaited<ReturnType<typeof commandNamed>>>

async function commandSection(path: string, { summary, load }: Omit<Called, 'actions'>): Promise<string> {
  const own = await load?.()
  if (own === undefined) return `## \`jurist ${path}\`\n\n${summary}.`
  const words = own.arguments.map(([usage, help]) => [code(usage), help])
  const options = Object.values(own.flags).map((flag) => ({ option: commanderOption(flag), group: flag.options.group }))
  const groups = [...new Set(options.map(({ group }) => group))].map((group) => {
    const rows = options
      .filter((one) => one.group === group)
      .map(({ option }) => [code(option.flags), option.description])
    return `${group === undefined ? '' : `${group}:\n\n`}${table(['flag', 'what it does'], rows)}`
  })
  return [
    `## \`jurist ${path}\``,
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    ...(words.length === 0 ? [] : [table(['argument', 'what it is'], words)]),
    ...groups,
    ...(own.note === undefined ? [] : [own.note]),
    `\`\`\`sh\n${own.examples.map((example) => `jurist ${example}`).join('\n')}\n\`\`\``,
  ].join('\n\n')
}

async function commandPage(): Promise<string> {
  const sections: string[] = []
  for (const name of commandNames) {
    const command = await commandNamed(name)
    if (command === undefined) throw new Error(`There is no command ${name}.`)
    if (command.load !== undefined) sections.push(await commandSection(name, command))
    for (const [action, called] of Object.entries(command.actions ?? {}))
      sections.push(await commandSection(`${name} ${action}`, called))
  }
  const { program } = await programFor(['help'], async () => undefined)
  const everywhere = program.options.map(({ flags, description }) => [code(flags), description])
  const endings = Object.entries(formats).map(([name, { ending, description }]) => [
    code(name),
    code(ending),
    description,
  ])
  return `# The command

${generated}

\`jurist --help\` lists the subcommands, and \`jurist <command> --help\` the flags of one; rare flags are in \`--help-all\`.

## Flags of every command

${table(['flag', 'what it does'], everywhere)}

## Report formats

The ending of a file selects its format: \`-o report.html\`. \`--reporter junit=report.xml\` names both.

${table(['format', 'ending', 'content'], endings)}

${sections.join('\n\n')}
`
}

function probesPage(): string {
  return `# Probes of jurist vet

${generated}

Agents that cheat. [Can I trust a pass?](../guide/vetting.md#what-gets-through-probe) shows how to run them.

${table(
  ['probe', 'what it does'],
  probes.map(({ name, what }) => [code(name), what]),
)}
`
}

/** The pages of \`docs/reference\`, by their names. */
export const referencePages: Readonly<Record<string, string>> = {
  'command.md': await commandPage(),
  'config.md': configPage(),
  'judges.md': await judgesPage(),
  'probes.md': probesPage(),
}
