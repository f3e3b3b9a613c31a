declare module '*/_stackops' {
  export const text: string;
}
declare module '*.bash' {
  export const text: string;
}
declare module '*.fish' {
  export const text: string;
}
declare module '*.md' {
  export const text: string;
}
declare module '*.ps1' {
  export const text: string;
}
declare module '*.txt' {
  export const text: string;
}
