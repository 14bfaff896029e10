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
