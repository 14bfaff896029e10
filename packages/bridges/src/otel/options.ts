import type { JudgmentContext } from '@jurist/core'
import { JuristError } from '@jurist/core'
import type { OptionRule } from '@jurist/core/internal'
import { checkOptions, option } from '@jurist/core/internal'
import type { OtelTracer } from './shape.js'

/** How much is told, and to whom. */
export interface OtelOptions {
  /** Made with `trace.getTracer(…)` of `@opentelemetry/api`. */
  readonly tracer: OtelTracer
  /**
   * What of the content leaves the process: `none`, `explanation` (default: the reasoning of judgments, up to 2,000
   * characters), `full` (messages, arguments and results of tools too).
   */
  readonly content?: 'none' | 'explanation' | 'full'
  /** The span of the agent's run that a context belongs to: judgments become events of it. */
  parentOf?(context: JudgmentContext): unknown
}

export const otelRules: { readonly [name in keyof Required<OtelOptions>]: OptionRule } = {
  tracer: {
    wants: 'a tracer with a method "startSpan"',
    holds: (value) => typeof (value as Partial<OtelTracer> | null)?.startSpan === 'function',
  },
  content: option.oneOf('none', 'explanation', 'full'),
  parentOf: option.function,
}

/**
 * Checks the options of a traced function.
 *
 * @throws `option-invalid`, also without a tracer
 */
export function checkOtel<Options extends OtelOptions>(
  where: string,
  options: Options,
  rules: { readonly [name in keyof Required<Options>]: OptionRule },
): Options {
  const checked = checkOptions(where, options, rules)
  if (checked.tracer === undefined)
    throw new JuristError('option-invalid', `${where}: give "tracer", as trace.getTracer('jurist') makes one.`, {
      option: 'tracer',
    })
  return checked
}

/** A text that may hold content, unless none of it may leave the process. */
export function unlessNone({ content }: Pick<OtelOptions, 'content'>, text: string): string | undefined {
  return content === 'none' ? undefined : text
}
