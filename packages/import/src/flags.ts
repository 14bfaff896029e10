import { flag, instant, oneOf, repeatable, text, toggle, usageInvalid, whole } from '@jurist/experiment/plugin'

/** The flags that only `jurist import git` takes. */
export const gitOnlyFlags = {
  branch: flag('--branch <name>', 'git: the branch to import (default: the current one)', text),
  since: flag('--since <date>', 'git: only commits since a date, such as 2026-01-01', instant),
  max: flag('--max <n>', 'git: the maximum number of items (default: 50)', whole(1), { default: 50 }),
  maxFiles: flag(
    '--max-files <n>',
    'git: the maximum number of source files that a commit changes (default: 5)',
    whole(1),
  ),
  maxLines: flag(
    '--max-lines <n>',
    'git: the maximum number of source lines that a commit changes (default: 300)',
    whole(1),
  ),
  source: repeatable('--source <glob>', 'git: the source files, such as "src/**"', text),
  tests: repeatable('--tests <glob>', 'git: the test files, such as "tests/**"', text),
  issues: flag(
    '--issues <file>',
    'git: texts of issues, as "gh issue list --json number,title,body" prints them',
    text,
  ),
  allowSecret: repeatable('--allow-secret <glob>', 'git: files that only look like secrets', text),
  repeat: flag('--repeat <n>', 'git: test runs of each item with and without the commit (default: 2)', whole(1), {
    default: 2,
  }),
  isolate: toggle(
    '--isolate',
    'git: leave out commits whose tests do not allow the code in a separate process (default: these run in one process)',
  ),
  copy: toggle('--copy', 'git: copy the files into the dataset, so that it needs no repository'),
}

export const sharedGitFlags = {
  testCommand: flag(
    '--test-command <line>',
    'git, swebench: runs the tests; {files} becomes the test files of a commit, as in "pytest {files}"',
    text,
  ),
  setup: flag(
    '--setup <line>',
    'git, swebench: installs the packages, once per lock file (default: by the lock file of each commit, such as "npm ci"); none: nothing',
    text,
  ),
  keep: repeatable(
    '--keep <dir>',
    'git, swebench: the directory that the setup fills (default: node_modules, else .venv)',
    text,
  ),
  sandbox: flag('--sandbox <name>', 'git, swebench: the sandbox of the config: auto, bubblewrap, docker:<image>', text),
  resume: toggle(
    '--resume',
    'git, swebench: continue an import, and add what is missing or newer; with other options, also retry the commits that these options decide',
  ),
}

export const gitFlags = { ...gitOnlyFlags, ...sharedGitFlags }

/** The formats of traces that `jurist import` reads, with the extensions of their files. */
export const traceEndings = {
  atif: ['.json'],
  session: ['.jsonl'],
  otlp: ['.json', '.jsonl'],
} as const satisfies { readonly [format: string]: readonly string[] }

export type TraceFormat = keyof typeof traceEndings

export const traceFormatNames = Object.keys(traceEndings) as readonly TraceFormat[]

export function isTraceFormat(name: string): name is TraceFormat {
  return Object.hasOwn(traceEndings, name)
}

export const traceFlags = {
  name: flag('--name <experiment>', 'traces: the name of the run (default: the format)', text),
  sample: flag('--sample <n>', 'traces: a random sample of n items (default: all)', whole(1)),
  seed: flag('--seed <n>', 'traces: the seed of --sample (default: 1)', whole(0), { default: 1 }),
}

export const harborFlags = {
  container: flag(
    '--container <program>',
    'harbor: docker or podman, which builds or downloads the image of each task and runs its verifier (default: the one that works on this machine)',
    oneOf(['docker', 'podman'] as const),
  ),
  skipSolution: toggle(
    '--skip-solution',
    'harbor: do not run solution/solve.sh, which makes the right answer of an item',
  ),
}

/** The flags that only `jurist import inspect` takes. */
export const inspectFlags = {
  headline: flag(
    '--headline <score>',
    'inspect: the score that decides (default: that of the log, else its first)',
    text,
  ),
  threshold: flag('--threshold <value>', 'inspect: the lowest value that passes (default: 1, which is C)', finite, {
    default: 1,
  }),
}

function finite(given: string, name: string): number {
  const value = Number(given)
  if (given.trim() !== '' && Number.isFinite(value)) return value
  throw usageInvalid(name, `${name} wants a number such as 0.5, not ${JSON.stringify(given)}.`)
}

export const agentEvalFlags = {
  script: repeatable(
    '--script <name>',
    'agent-eval: a script of package.json that must succeed too, such as build',
    text,
  ),
}

/** The flags that only `jurist import swebench` takes. */
export const swebenchFlags = {
  repositories: flag(
    '--repositories <dir>',
    'swebench: where clones of the repositories are, at owner/name, owner__name or name',
    text,
  ),
}

/** The flags that only `jurist import predictions` takes. */
export const predictionFlags = {
  experiment: flag(
    '--experiment <name>',
    'predictions: the experiment whose items the patches belong to (default: the only experiment of the config)',
    text,
  ),
}
