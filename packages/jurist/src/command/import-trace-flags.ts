import { flag, text, whole } from './flags.js'

/** The formats of traces that `jurist import` reads, with the endings of their files. */
export const traceEndings = {
  atif: ['.json'],
  session: ['.jsonl'],
  otlp: ['.json', '.jsonl'],
} as const satisfies { readonly [format: string]: readonly string[] }

/** The name of a format of traces. */
export type TraceFormat = keyof typeof traceEndings

/** All formats of traces. */
export const traceFormatNames = Object.keys(traceEndings) as readonly TraceFormat[]

/** Whether a name is that of a format of traces. */
export function isTraceFormat(name: string): name is TraceFormat {
  return Object.hasOwn(traceEndings, name)
}

/** The flags of an import of traces. */
export const traceFlags = {
  name: flag('--name <experiment>', 'traces: the name of the run (default: the format)', text),
  sample: flag('--sample <n>', 'traces: this many items, by a seeded shuffle (default: all)', whole(1)),
  seed: flag('--seed <n>', 'traces: the seed of --sample (default: 1)', whole(0), { default: 1 }),
}
