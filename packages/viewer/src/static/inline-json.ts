/**
 * JSON that can stand between `<script>` tags: no `<`, so that nothing in it ends the script or begins a comment.
 *
 * @example
 * inlineJson({ text: '</script>' }) // {"text":"\u003c/script>"}
 */
export function inlineJson(value: unknown): string {
  return JSON.stringify(value)
    .replaceAll('<', '\\u003c')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
}
