import {
  type FlagSet,
  flag,
  type ReportProblem,
  type Subcommand,
  subcommand,
  text,
  usageInvalid,
} from '@jurist/experiment/plugin'
import { commandLine } from '@jurist/kit/command-line'
import {
  agentEvalFlags,
  gitFlags,
  gitOnlyFlags,
  harborFlags,
  inspectFlags,
  isTraceFormat,
  predictionFlags,
  sharedGitFlags,
  swebenchFlags,
  traceFlags,
  traceFormatNames,
} from './flags.js'

const formats = ['git', 'promptfoo', 'harbor', 'agent-eval', 'swebench', 'predictions', 'inspect', ...traceFormatNames]

export const importSuite: Subcommand = subcommand({
  arguments: [
    ['<format>', `the format: ${formats.join(', ')}`, formats],
    [
      '[source]',
      'a git repository or its URL (default: this one), a suite such as promptfooconfig.yaml, or traces',
      'file',
    ],
  ],
  flags: {
    out: flag(
      '-o, --out <dir>',
      'the directory to make (default: for git ../<repository>-evals, for agent-eval evals-jurist, else evals)',
      text,
    ),
    ...gitFlags,
    ...harborFlags,
    ...agentEvalFlags,
    ...traceFlags,
    ...swebenchFlags,
    ...predictionFlags,
    ...inspectFlags,
  },
  examples: [
    'import git',
    'import git . --since 2026-01-01 --max 20',
    'import git ../parser --test-command "node --test {files}" --source "lib/**"',
    'import promptfoo promptfooconfig.yaml',
    'import harbor tasks --container podman',
    'import agent-eval . --script build --out evals-jurist',
    'import swebench instances.jsonl --repositories clones --test-command "pytest {files}"',
    'import predictions preds.jsonl',
    'import inspect logs',
    'import atif jobs/2026-11-20',
    'import session ~/.claude/projects',
    'import otlp traces.jsonl --sample 200',
  ],
  note:
    'git: makes a task of each commit that changes sources and tests. An agent begins with the commit before, without its\n' +
    'history, and the tests of the commit judge its work.\n' +
    'promptfoo: writes a config and a row for each test with judges of its own. A test with an assertion that has no exact\n' +
    'counterpart becomes a disabled row, and is listed.\n' +
    'harbor: makes an item of each task, judged by its own verifier (tests/test.sh) after the agent.\n' +
    'agent-eval: makes an item of each directory with a PROMPT.md. Its EVAL.ts is hidden from the agent and judges its work.\n' +
    'swebench: makes an item of each instance of SWE-bench. Its files come from a clone of its repository, without history.\n' +
    'predictions: judges recorded patches of SWE-bench, one run a model.\n' +
    'inspect: stores logs of Inspect as runs, judged by their scores.\n' +
    'atif, session, otlp: stores trajectories, sessions of Claude Code and Codex, or spans of OpenTelemetry as a run, which\n' +
    'jurist rejudge, show, view and compare read.',
  check(flags, problem, [format]) {
    for (const [of, owner, declared] of owned) if (!of.includes(format)) refuseGiven(declared, flags, owner, problem)
    const isTraces = isTraceFormat(format)
    // A log is one evaluation: the metrics of a part would differ.
    if (format === 'inspect' && flags.sample !== undefined)
      problem('--sample', 'A log is imported whole: leave --sample out.')
    if (format !== 'inspect' && !isTraces) refuseGiven(traceFlags, flags, 'atif', problem)
    const what =
      format === 'inspect' ? 'Logs' : isTraces ? 'Traces' : format === 'predictions' ? 'Predictions' : undefined
    if (what !== undefined && flags.out !== undefined)
      problem('--out', `${what} are stored in the results: leave --out out.`)
  },
  async run(host, [format, given], flags) {
    const wanted = sources[format]
    if (!formats.includes(format))
      throw usageInvalid('format', `Unknown format "${format}". Available: ${formats.join(', ')}.`)
    if (given === undefined && wanted !== undefined)
      throw usageInvalid('source', `Name ${wanted[0]}, such as: ${commandLine('import', format, wanted[1])}`)
    const source = given ?? '.'
    const { out = 'evals' } = flags
    if (isTraceFormat(format))
      return (await import('./traces/import-traces.js')).importTraces(host, format, source, flags)
    switch (format) {
      case 'git':
        return (await import('./git/import-git.js')).importGit(host, source, flags)
      case 'swebench':
        return (await import('./swebench/import-swebench.js')).importSwebench(host, source, out, flags)
      case 'predictions':
        return (await import('./swebench/import-predictions.js')).importPredictions(host, source, flags.experiment)
      case 'harbor':
        return (await import('./harbor/import-harbor.js')).importHarbor(host, source, out, flags)
      case 'inspect':
        return (await import('./inspect/import-inspect.js')).importInspect(host, source, flags)
      case 'agent-eval': {
        const { importAgentEval } = await import('./agent-eval/import-agent-eval.js')
        return importAgentEval(host, source, flags.out ?? 'evals-jurist', flags.script)
      }
      default:
        return (await import('./promptfoo/import-promptfoo.js')).importPromptfoo(host, source, out)
    }
  },
})

/** The flags that only some formats take, with the format that messages name. */
const owned: readonly (readonly [formats: readonly string[], owner: string, flags: FlagSet])[] = [
  [['git', 'swebench'], 'git', sharedGitFlags],
  [['git'], 'git', gitOnlyFlags],
  [['swebench'], 'swebench', swebenchFlags],
  [['harbor'], 'harbor', harborFlags],
  [['agent-eval'], 'agent-eval', agentEvalFlags],
  [['predictions'], 'predictions', predictionFlags],
  [['inspect'], 'inspect', inspectFlags],
]

const traces = ['a file or a directory', 'traces'] as const
/** The source of each format, with an example. git and agent-eval default to the current directory. */
const sources: { readonly [format: string]: readonly [what: string, example: string] } = {
  promptfoo: ['the suite', 'promptfooconfig.yaml'],
  harbor: ['a task or tasks', 'tasks'],
  swebench: ['the instances', 'instances.jsonl'],
  predictions: ['the predictions', 'preds.jsonl'],
  inspect: ['a log or a directory', 'logs'],
  ...{ atif: traces, session: traces, otlp: traces },
}

/** Reports each flag of another format that differs from its default. */
function refuseGiven(
  declared: FlagSet,
  given: { readonly [name: string]: unknown },
  owner: string,
  problem: ReportProblem,
): void {
  for (const [name, one] of Object.entries(declared))
    if (JSON.stringify(given[name]) !== JSON.stringify(one.read(undefined, name)))
      problem(one.usage, `${one.usage.split(' ', 1)[0]} belongs to "jurist import ${owner}".`)
}
