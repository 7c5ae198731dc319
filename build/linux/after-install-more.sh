# The test above ran as root, who may make user namespaces where others may not. Where they may not, the sandbox needs
# its helper to be setuid.
if ! runuser -u nobody -- unshare --user true 2>/dev/null; then
    chmod 4755 '/opt/${sanitizedProductName}/chrome-sandbox' || true
fi
