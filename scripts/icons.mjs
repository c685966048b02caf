/* The icons of the sprite, by their lucide names. A contract test demands that templates use no other. */
export const ICONS = new Set([
  "activity", "arrow-down", "arrow-right", "book-open-text", "bot", "brain", "calendar", "check",
  "chevron-down", "chevron-left", "chevron-right", "chevrons-up-down", "circle-alert", "circle-check",
  "circle-question-mark", "circle-x", "clock", "columns-2", "command", "copy", "corner-down-left",
  "database", "download", "ellipsis", "external-link", "eye", "eye-off", "file-code", "file-spreadsheet",
  "file-text", "files", "folder", "folder-up", "git-compare", "globe", "hash", "history", "house", "image",
  "inbox", "info", "key-round", "keyboard", "layers", "library", "link-2", "list-checks", "loader-circle",
  "lock", "log-out", "mail", "map-pin", "menu", "message-circle-question-mark", "message-square-text",
  "monitor", "moon", "network", "panel-left", "panel-right", "paperclip", "pencil", "plus", "presentation",
  "quote", "refresh-cw", "rotate-ccw", "rows-2", "search", "search-x", "send-horizontal", "settings",
  "share-2", "shield-alert", "shield-check", "sparkles", "square", "square-pen", "star", "sun", "table-2",
  "telescope", "thumbs-down", "thumbs-up", "trash-2", "triangle-alert", "type", "undo-2", "unplug", "upload", "user",
  "users", "wand-sparkles", "wrap-text", "wrench", "x", "zap",
]);
