#!/usr/bin/env bash
# usage: bash .ci/radosgw.sh DIR PORT|--unpack
# Unpacks the object gateway of Ceph, an S3 server that verifies signatures, from Debian into DIR, which may exist
# already, starts it without a cluster on PORT of 127.0.0.1, and prints the settings of its only user; with --unpack it ends
# before that. Installs nothing and needs no root; needs a Debian with apt-get and a configured mirror.
# Stop it with: kill "$(cat DIR/radosgw.pid)"
set -euo pipefail
source "$(dirname "$0")/debian.sh"

suite=sid
dir=$(realpath -m "${1:?usage: radosgw.sh DIR PORT|--unpack}")
port=${2:?usage: radosgw.sh DIR PORT|--unpack}
data=$dir/data

# What the packages name as dependencies beside the libraries that the program is linked with.
not_needed='^libc-bin|perl|^python|adduser|passwd|^ucf|debconf|procps|sysvinit|init-system|^openssl|systemd|^udev'
not_needed+='|^dmsetup|^cryptsetup|^logsave|^cron|mailcap|^mount$|^sed$|^media-types|^ca-certificates|^sudo'

if [[ ! -x $dir/usr/bin/radosgw ]]; then
  mkdir -p "$dir"
  unpack_debian "$dir" "$suite" radosgw "$not_needed" >&2
fi
[[ $port != --unpack ]] || exit 0
lib=$(dirname "$(find "$dir/usr/lib" -name 'ld-linux*.so.*' -path '*-linux-gnu*' | head -n 1)")
loader=$(find "$lib" -maxdepth 1 -name 'ld-linux*.so.*' | head -n 1)

mkdir -p "$data"
cat >"$dir/ceph.conf" <<CONF
[global]
  auth_cluster_required = none
  auth_service_required = none
  auth_client_required = none
  mon_host = 127.0.0.1
  fsid = 11111111-2222-3333-4444-555555555555
  log_file = $data/radosgw.log
  log_to_stderr = false
  run_dir = $data
  admin_socket =
  pid_file =
[client.rgw]
  rgw_backend_store = dbstore
  rgw_config_store = dbstore
  dbstore_db_dir = $data
  dbstore_config_uri = file:$data/config.db
  rgw_frontends = beast endpoint=127.0.0.1:$port
  rgw_enable_apis = s3
  rgw_thread_pool_size = 8
  rgw_enable_lc_threads = false
  rgw_enable_gc_threads = false
  rgw_enable_quota_threads = false
CONF
run() { exec "$loader" --library-path "$lib:$lib/ceph" "$dir/usr/bin/$1" -n client.rgw -c "$dir/ceph.conf" --no-mon-config "${@:2}"; }

id=parley-test
secret=a-secret-of-tests-alone
(run radosgw-admin user info --uid=parley) >/dev/null 2>&1 ||
  (run radosgw-admin user create --uid=parley --display-name=Parley --access-key="$id" --secret-key="$secret") \
    >"$data/user" 2>&1
run radosgw -f >"$data/output" 2>&1 </dev/null &
echo $! >"$dir/radosgw.pid"

for ((tries = 0; tries < 3000; tries++)); do
  if (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
    printf 'S3_ENDPOINT=%s\nS3_ACCESS_KEY_ID=%s\nS3_SECRET_ACCESS_KEY=%s\n' "http://127.0.0.1:$port" "$id" "$secret"
    exit
  fi
  kill -0 "$(cat "$dir/radosgw.pid")" 2>/dev/null || break
  sleep 0.1
done
echo "The object gateway did not start:" >&2
tail -n 20 "$data/output" "$data/radosgw.log" >&2
exit 1
