export const slug = (title) => title.trim().replaceAll(' ', '-')
