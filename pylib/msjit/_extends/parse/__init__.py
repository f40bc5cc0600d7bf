"""Names of mindspore._extends.parse that programs import: compile_config."""
