"""Names of mindspore._extends.parse that programs and packages import: compile_config, trope, resources."""
