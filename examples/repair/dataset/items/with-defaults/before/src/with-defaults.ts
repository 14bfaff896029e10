export type Settings = { [name: string]: unknown }

const isSettings = (value: unknown): value is Settings =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The given settings over the defaults, nested objects name by name. Neither argument is changed. */
export function withDefaults(defaults: Settings, given: Settings): Settings {
  const result = defaults
  for (const [name, value] of Object.entries(given)) {
    const standard = result[name]
    if (isSettings(standard) && isSettings(value)) result[name] = withDefaults(standard, value)
    else if (value !== undefined) result[name] = value
  }
  return result
}
