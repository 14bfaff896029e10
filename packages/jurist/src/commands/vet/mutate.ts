import { flag, oneOf, repeatable, toggle, whole } from '@jurist/experiment/plugin'
import { operators, runMutants, strykerReport } from '@jurist/vet'
import { checkOutputFile } from '../../command-kit/files.js'
import { defined, fileEndingIn, rate, type Subcommand, subcommand } from '../../command-kit/subcommand.js'
import { vetted, vettedExperiment, vettingFlags } from './vetting.js'

const places = ['changed', 'function', 'all'] as const

const flags = {
  ...vettingFlags,
  perItem: flag('--per-item <n>', 'the maximum number of mutants per item (default: 10)', whole(1)),
  where: flag(
    '--where <part>',
    'which part of the changed files: changed lines, function (their functions too) or all (default: all)',
    oneOf(places),
  ),
  operators: repeatable('--operators <name>', 'only this kind of mistake', oneOf(operators.map(({ name }) => name))),
  variants: toggle('--variants', 'judge right solutions in other forms, too: tests that fail them are too strict'),
  untilKilled: toggle('--until-killed', 'ask members of the jury that cost money, too; needs --budget'),
  prove: toggle('--prove', 'look for inputs that show that survivors are wrong, and print them as tests'),
  proveSeconds: flag(
    '--prove-seconds <n>',
    'with --prove: seconds for the inputs of one function (default: 10)',
    whole(1),
  ),
  budgetMinutes: flag('--budget-minutes <n>', 'stop after this many minutes; --resume continues', whole(1)),
  survival: flag(
    '--survival <share>',
    'exit with code 1 if a larger share of mutants survives, 0 to 1 (default: vet.survival)',
    rate,
  ),
  stryker: flag('--stryker <file>', 'write the report in the schema of Stryker, for its viewer', fileEndingIn('.json')),
} as const

const codes = { held: 0, holes: 1, 'nothing-said': 3 } as const

export const mutate: Subcommand = subcommand({
  arguments: [vettedExperiment],
  flags,
  check({ prove, proveSeconds }, problem) {
    if (proveSeconds !== undefined && !prove) problem('--prove-seconds', '--prove-seconds needs --prove.')
  },
  note: `Exit codes: 0 fine; 1 a wrong solution passes, --prove found a hole, --variants proved tests too strict, or too many mutants survive; 2 wrong usage;
3 inconclusive. Without --survival, survivors are reported and end with 0, since they may be equivalent.`,
  examples: [
    'vet mutate',
    'vet mutate add-readme --per-item 5 --where changed -o mutants.html',
    'vet mutate --prove -o mutants.html',
    'vet mutate --variants --per-item 5',
    'vet mutate --survival 0.1 --seed 7',
  ],
  async run(host, [name], read, typed) {
    const { stryker } = read
    if (stryker !== undefined) await checkOutputFile(host, '--stryker', stryker)
    return vetted(host, name, read, {
      ...{ command: ['vet', 'mutate'], typed },
      judgesLabelled: read.variants,
      perform: (experiment, { free, ...run }, { proving }, labelled) =>
        runMutants(experiment, {
          ...run,
          labelled,
          ...defined({
            perItem: read.perItem,
            where: read.where,
            seed: read.seed,
            proveSeconds: read.proveSeconds,
            budgetMinutes: read.budgetMinutes,
            survival: read.survival,
          }),
          variants: read.variants,
          untilKilled: read.untilKilled && !free,
          prove: read.prove,
          onProof: proving,
          ...(read.operators.length === 0 ? {} : { operators: read.operators }),
        }),
      codeOf: ({ conclusion }) => codes[conclusion],
      reasons: {
        1: read.variants ? 'mistakes pass, or right solutions fail' : 'mistakes pass',
        3: 'inconclusive: not everything could be judged',
      },
      files: (report) =>
        stryker === undefined ? {} : { [stryker]: `${JSON.stringify(strykerReport(report), null, 2)}\n` },
    })
  },
})
