/** Matches `{{ name }}` and `{{ name.key }}`, which promptfoo and Jurist fill in the same way. */
const variable = /\{\{\s*([A-Za-z_][\w.-]*)\s*\}\}/g

/** Returns a problem if the template uses more of Nunjucks than variables. */
export function templateProblem(template: string): string | undefined {
  const rest = template.replace(variable, '')
  return /\{\{|\{%|\{#/.test(rest) ? 'uses more of Nunjucks than {{variables}}' : undefined
}

export function variablesOf(template: string): readonly string[] {
  return [...new Set([...template.matchAll(variable)].map(([, name = '']) => name))]
}

/** Fills in a template. As in promptfoo, missing variables are empty. */
export function filledTemplate(template: string, vars: Readonly<Record<string, unknown>>): string {
  return template.replace(variable, (_, name: string) => textOf(valueAt(vars, name)))
}

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

/** The maximum length of a chain of variables whose values name each other. */
const mostSteps = 5

/** Fills in the variables within the values of variables, and reports the problems. */
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

/** Other values keep their text. */
function isTemplate(value: unknown): value is string {
  return typeof value === 'string' && value.includes('{{') && templateProblem(value) === undefined
}
