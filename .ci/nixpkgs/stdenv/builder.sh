source "$stdenv/setup"

if [[ -n ${buildCommand-} ]]; then
  eval "$buildCommand"
else
  runHook() { :; }
  tar -xzf "$src"
  cd -- */
  eval "$installPhase"
fi
