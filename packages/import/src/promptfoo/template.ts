/** `{{ name }}` or `{{ name.key }}`: what promptfoo and Jurist fill alike. */
const variable = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g

/** Why a template cannot be moved: it uses more of Nunjucks than variables. `undefined` when it can. */
export function templateProblem(template: string): string | undefined {
  const rest = template.replace(variable, '')
  return /\{\{|\{%|\{#/.test(rest) ? 'uses more of Nunjucks than {{variables}}' : undefined
}

/** The variables that a template names. */
export function variablesOf(template: string): readonly string[] {
  return [...new Set([...template.matchAll(variable)].map(([, name = '']) => name))]
}

/** A template with the values of its variables; one that is missing is empty, as in promptfoo. */
export function filledTemplate(template: string, vars: Readonly<Record<string, unknown>>): string {
  return template.replace(variable, (_, name: string) => textOf(valueAt(vars, name)))
}

/** A template of Jurist. */
export function juristTemplate(template: string): string {
  return template.replace(variable, (_, name: string) => `{{input.${name}}}`)
}

function valueAt(vars: Readonly<Record<string, unknown>>, path: string): unknown {
  return path.split('.').reduce<unknown>((value, key) => {
    return typeof value === 'object' && value !== null && Object.hasOwn(value, key)
      ? Reflect.get(value, key)
      : undefined
  }, vars)
}

function textOf(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}

type Fields = Readonly<Record<string, unknown>>

/** How often the value of a variable may name another variable, one after another. */
const mostSteps = 5

/** Variables with the variables in their values filled in, and what cannot be filled. */
export function filledVariables(given: Fields): { readonly vars: Fields; readonly problems: readonly string[] } {
  const problems = Object.entries(given).flatMap(([name, value]) => {
    if (typeof value !== 'string') return []
    const missing = variablesOf(value).filter((one) => given[one.split('.', 1)[0] ?? ''] === undefined)
    const problem =
      templateProblem(value) ?? (missing.length === 0 ? undefined : `names ${missing[0]}, which is missing`)
    return problem === undefined ? [] : [`vars.${name} ${problem}`]
  })
  let vars = given
  for (let step = 0; step < mostSteps && Object.values(vars).some(isTemplate); step++) vars = filledOnce(vars)
  return { vars, problems }
}

function filledOnce(vars: Fields): Fields {
  return Object.fromEntries(
    Object.entries(vars).map(([name, value]) => [name, isTemplate(value) ? filledTemplate(value, vars) : value]),
  )
}

/** A value that can be filled; others keep their text. */
function isTemplate(value: unknown): value is string {
  return typeof value === 'string' && value.includes('{{') && templateProblem(value) === undefined
}
