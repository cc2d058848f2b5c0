// SPDX-License-Identifier: GPL-2.0
#include <zlib.h>

#include "sysinfo.h"
#include "tap.h"
#include "tmpdir.h"

static void model(struct tap *t, const char *config, const char *version,
		  const char *dynamic, const char *want)
{
	struct kernel_config c = { .text = (char *)config };
	char buf[64];

	preempt_model(&c, version, dynamic, buf, sizeof(buf));
	if (!ok(t, !strcmp(buf, want), "preemption: %s", want))
		printf("#   got %s\n", buf);
}

static void put_gz(const char *dir, size_t filler)
{
	char path[600];
	gzFile gz;

	snprintf(path, sizeof(path), "%s/proc/config.gz", dir);
	gz = gzopen(path, "w");
	for (size_t i = 0; i < filler; i++)
		gzprintf(gz, "# CONFIG_FILLER_%zu is not set\n", i);
	gzputs(gz, "CONFIG_LAST=y\nCONFIG_MODULE=m\nCONFIG_TEXT=\"y\"\n");
	gzclose(gz);
}

int main(void)
{
	struct kernel_config config;
	struct tap t = { 0 };
	json_t *notes, *line;
	char dir[512];

	model(&t, "CONFIG_PREEMPT_BUILD=y\n# CONFIG_PREEMPT is not set\nCONFIG_PREEMPT_LAZY=y\n",
	      "#1 SMP PREEMPT", "", "lazy");
	model(&t, "CONFIG_PREEMPT=y\n", "", "", "full");
	model(&t, "CONFIG_PREEMPT_VOLUNTARY=y\n", "", "", "voluntary");
	model(&t, "CONFIG_PREEMPT_NONE=y\n", "", "", "none");
	model(&t, "CONFIG_PREEMPT_RT=y\nCONFIG_PREEMPT_LAZY=y\n", "", "", "rt");
	model(&t, "CONFIG_PREEMPT=y\nCONFIG_PREEMPT_DYNAMIC=y\n", "", "", "full (dynamic)");
	model(&t, "CONFIG_PREEMPT=y\nCONFIG_PREEMPT_DYNAMIC=y\n", "",
	      "none (voluntary) full", "voluntary (dynamic)");
	model(&t, "CONFIG_SMP=y\n", "", "", "unknown");
	model(&t, NULL, "#1 SMP PREEMPT_DYNAMIC Debian", "", "unknown (dynamic)");
	model(&t, NULL, "#1 SMP PREEMPT_RT x", "", "rt");
	model(&t, NULL, "#1 SMP PREEMPT x", "", "full or lazy");
	model(&t, NULL, "#1 SMP x", "", "none or voluntary");

	tmpdir_make(dir, sizeof(dir));
	kernel_config_read(dir, &config);
	ok(&t, !config.text && !kernel_config_is(&config, "CONFIG_LAST"), "no config.gz");
	ok_text(&t, cputime_method(&config), "not known", "then the method says so");
	tmpdir_put(dir, "proc/meminfo", "MemTotal:  1000 kB\nSwapTotal:  20 kB\n");
	tmpdir_put(dir, "proc/cmdline", "quiet\n");
	tmpdir_put(dir, "proc/cpuinfo", "processor : 0\nmodel name\t: A CPU\n");
	tmpdir_put(dir, "proc/sys/vm/lru_gen_memcg_resched", "1\n");
	/* longer than the first buffer */
	put_gz(dir, 10000);
	kernel_config_read(dir, &config);
	ok(&t, kernel_config_is(&config, "CONFIG_LAST") &&
	       kernel_config_is(&config, "CONFIG_MODULE"), "options that are on");
	ok(&t, !kernel_config_is(&config, "CONFIG_FILLER_5") &&
	       !kernel_config_is(&config, "CONFIG_LAS") &&
	       !kernel_config_is(&config, "CONFIG_TEXT"), "options that are not");
	kernel_config_free(&config);

	notes = json_pack("{s:s}", "accel", "tcg");
	line = environment_line(dir, notes);
	ok(&t, !strcmp(json_string_value(json_object_get(line, "kind")), "environment") &&
	       !strcmp(json_string_value(json_object_get(line, "cmdline")), "quiet") &&
	       !strcmp(json_string_value(json_object_get(line, "cpu_model")), "A CPU"),
	   "environment: texts");
	ok(&t, json_integer_value(json_object_get(line, "mem_total_kb")) == 1000 &&
	       json_integer_value(json_object_get(line, "swap_total_kb")) == 20,
	   "environment: memory and swap");
	ok(&t, json_is_null(json_object_get(json_object_get(line, "sysctls"),
					    "vm.lru_gen_memcg_tail_cache")) &&
	       json_is_string(json_object_get(json_object_get(line, "sysctls"),
					      "vm.lru_gen_memcg_resched")) &&
	       json_is_null(json_object_get(line, "lru_gen_enabled")),
	   "environment: what is not there is null");
	ok(&t, json_equal(json_object_get(line, "notes"), notes), "environment: notes");
	json_decref(line);
	json_decref(notes);

	tmpdir_put(dir, "proc/config.gz", "\x1f\x8b broken");
	kernel_config_read(dir, &config);
	ok(&t, !config.text || !kernel_config_is(&config, "CONFIG_LAST"), "a broken config.gz");
	kernel_config_free(&config);
	tmpdir_remove(dir);
	return tap_end(&t);
}
