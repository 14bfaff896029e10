import { filledTemplate, templateProblem, variablesOf } from './template.js'

type Fields = Readonly<Record<string, unknown>>

/** Variables whose values name other variables, so many times one after another. */
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
