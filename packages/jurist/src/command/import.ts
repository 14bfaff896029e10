import { commandLine } from '@jurist/kit/command-line'
import { usageInvalid } from '../config/problems.js'
import { type FlagSet, flag, text } from './flags.js'
import {
  agentEvalFlags,
  gitFlags,
  gitOnlyFlags,
  harborFlags,
  inspectFlags,
  isTraceFormat,
  predictionFlags,
  swebenchFlags,
  traceFlags,
  traceFormatNames,
} from './import/flags.js'
import { type Problem, type Subcommand, subcommand } from './subcommand.js'

const formats = ['git', 'promptfoo', 'harbor', 'agent-eval', 'swebench', 'predictions', 'inspect', ...traceFormatNames]

/** `jurist import`. */
export const importSuite: Subcommand = subcommand({
  arguments: [
    ['<format>', `what it is: ${formats.join(', ')}`, formats],
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
    if (format === 'swebench') refuseGiven(gitOnlyFlags, flags, 'git', problem)
    else if (format !== 'git') refuseGiven(gitFlags, flags, 'git', problem)
    if (format !== 'swebench') refuseGiven(swebenchFlags, flags, 'swebench', problem)
    if (format !== 'harbor') refuseGiven(harborFlags, flags, 'harbor', problem)
    if (format !== 'agent-eval') refuseGiven(agentEvalFlags, flags, 'agent-eval', problem)
    if (format !== 'predictions') refuseGiven(predictionFlags, flags, 'predictions', problem)
    else if (flags.out !== undefined) problem('--out', 'Predictions are stored in the results: leave --out out.')
    if (format !== 'inspect') refuseGiven(inspectFlags, flags, 'inspect', problem)
    if (format === 'inspect') refuseSample(flags, problem)
    else if (!isTraceFormat(format)) refuseGiven(traceFlags, flags, 'atif', problem)
    else if (flags.out !== undefined) problem('--out', 'Traces are stored in the results: leave --out out.')
  },
  async run(host, [format, source], flags) {
    if (format === 'git') return (await import('./import/git.js')).importGit(host, source ?? '.', flags)
    if (format === 'swebench') {
      if (source === undefined)
        throw usageInvalid(
          'source',
          `Name the instances, such as: ${commandLine('import', 'swebench', 'instances.jsonl')}`,
        )
      return (await import('./import/swebench.js')).importSwebench(host, source, flags)
    }
    if (format === 'predictions') {
      if (source === undefined)
        throw usageInvalid(
          'source',
          `Name the predictions, such as: ${commandLine('import', 'predictions', 'preds.jsonl')}`,
        )
      return (await import('./import/predictions.js')).importPredictions(host, source, flags.experiment)
    }
    if (isTraceFormat(format)) {
      if (source === undefined)
        throw usageInvalid('source', `Name a file or a directory, such as: ${commandLine('import', format, 'traces')}`)
      return (await import('./import/traces.js')).importTraces(host, format, source, flags)
    }
    if (format === 'harbor') {
      if (source === undefined)
        throw usageInvalid('source', `Name a task or tasks, such as: ${commandLine('import', 'harbor', 'tasks')}`)
      return (await import('./import/harbor.js')).importHarbor(host, source, flags.out ?? 'evals', flags)
    }
    if (format === 'inspect') {
      if (source === undefined)
        throw usageInvalid('source', `Name a log or a directory, such as: ${commandLine('import', 'inspect', 'logs')}`)
      return (await import('./import/inspect.js')).importInspect(host, source, flags)
    }
    if (format === 'agent-eval') {
      const { importAgentEval } = await import('./import/agent-eval.js')
      return importAgentEval(host, source ?? '.', flags.out ?? 'evals-jurist', flags.script)
    }
    if (format !== 'promptfoo')
      throw usageInvalid('format', `Unknown format "${format}". Available: ${formats.join(', ')}.`)
    if (source === undefined)
      throw usageInvalid(
        'source',
        `Name the suite, such as: ${commandLine('import', 'promptfoo', 'promptfooconfig.yaml')}`,
      )
    return (await import('./import/promptfoo.js')).importPromptfoo(host, source, flags.out ?? 'evals')
  },
})

/** Reports each flag that has another value than without it, and belongs to another format. */
function refuseGiven(
  declared: FlagSet,
  given: { readonly [name: string]: unknown },
  owner: string,
  problem: Problem,
): void {
  for (const [name, one] of Object.entries(declared))
    if (JSON.stringify(given[name]) !== JSON.stringify(one.read(undefined, name)))
      problem(one.usage, `${one.usage.split(' ', 1)[0]} belongs to "jurist import ${owner}".`)
}

/** A log is one evaluation and is imported whole: the figures of a part would differ. */
function refuseSample({ sample, out }: { readonly sample?: unknown; readonly out?: unknown }, problem: Problem): void {
  if (sample !== undefined) problem('--sample', 'A log is imported whole: leave --sample out.')
  if (out !== undefined) problem('--out', 'Logs are stored in the results: leave --out out.')
}
