/** A text as the message of a GitHub workflow command: it cannot end the line it stands on. */
export function commandData(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

/** A text as a property of a GitHub workflow command: it cannot end the property either. */
export function commandProperty(text: string): string {
  return commandData(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
