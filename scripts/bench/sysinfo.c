// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include <zlib.h>

#include "knobs.h"
#include "sysinfo.h"

void kernel_config_read(const char *sysroot, struct kernel_config *config)
{
	size_t len = 0, size = 1 << 16;
	char path[4096];
	gzFile gz;
	int n = 0;

	config->text = NULL;
	if (path_format(path, sizeof(path), "%s/proc/config.gz", sysroot))
		return;
	gz = gzopen(path, "re");
	if (!gz)
		return;
	config->text = malloc(size);
	while (config->text) {
		char *bigger;

		n = gzread(gz, config->text + len, (unsigned int)(size - len - 1));
		if (n <= 0)
			break;
		len += (size_t)n;
		if (size - len > 1)
			continue;
		size *= 2;
		bigger = realloc(config->text, size);
		if (!bigger)
			free(config->text);
		config->text = bigger;
	}
	if (config->text && n < 0) {
		free(config->text);
		config->text = NULL;
	}
	if (config->text)
		config->text[len] = '\0';
	gzclose(gz);
}

void kernel_config_free(struct kernel_config *config)
{
	free(config->text);
	config->text = NULL;
}

bool kernel_config_is(const struct kernel_config *config, const char *option)
{
	size_t len = strlen(option);

	for (const char *at = config->text; at && *at;) {
		if (!strncmp(at, option, len) && at[len] == '=')
			return at[len + 1] == 'y' || at[len + 1] == 'm';
		at = strchr(at, '\n');
		if (at)
			at++;
	}
	return false;
}

void preempt_model(const struct kernel_config *config, const char *version,
		   const char *dynamic, char *buf, size_t size)
{
	static const struct {
		const char *option, *model;
	} models[] = {
		{ "CONFIG_PREEMPT_RT", "rt" },
		{ "CONFIG_PREEMPT_LAZY", "lazy" },
		{ "CONFIG_PREEMPT", "full" },
		{ "CONFIG_PREEMPT_VOLUNTARY", "voluntary" },
		{ "CONFIG_PREEMPT_NONE", "none" },
	};
	const char *open = strchr(dynamic, '(');
	const char *close = open ? strchr(open, ')') : NULL;
	const char *model = "unknown";

	/* the file marks the model in use: "none voluntary (full)" */
	if (close) {
		snprintf(buf, size, "%.*s (dynamic)", (int)(close - open - 1), open + 1);
		return;
	}
	if (config->text) {
		for (size_t i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
			if (kernel_config_is(config, models[i].option)) {
				model = models[i].model;
				break;
			}
		}
		snprintf(buf, size, "%s%s", model,
			 kernel_config_is(config, "CONFIG_PREEMPT_DYNAMIC") ?
			 " (dynamic)" : "");
		return;
	}
	/* uname -v does not tell full from lazy, nor none from voluntary */
	if (strstr(version, "PREEMPT_RT"))
		model = "rt";
	else if (strstr(version, "PREEMPT_DYNAMIC"))
		model = "unknown (dynamic)";
	else if (strstr(version, "PREEMPT"))
		model = "full or lazy";
	else
		model = "none or voluntary";
	snprintf(buf, size, "%s", model);
}

const char *cputime_method(const struct kernel_config *config)
{
	if (!config->text)
		return "getrusage(RUSAGE_SELF) ru_stime of each worker; kernel configuration not known, so exact to a tick at worst";
	if (kernel_config_is(config, "CONFIG_VIRT_CPU_ACCOUNTING_NATIVE"))
		return "getrusage(RUSAGE_SELF) ru_stime of each worker; native accounting at each kernel entry, exact";
	if (kernel_config_is(config, "CONFIG_VIRT_CPU_ACCOUNTING_GEN"))
		return "getrusage(RUSAGE_SELF) ru_stime of each worker; VIRT_CPU_ACCOUNTING_GEN: exact on nohz_full CPUs, elsewhere the scheduler's run time split by ticks";
	return "getrusage(RUSAGE_SELF) ru_stime of each worker; tick accounting: the scheduler's exact run time, split into user and system by ticks";
}

static json_t *text_of(const char *sysroot, const char *name)
{
	char path[4096], text[4096];

	if (path_format(path, sizeof(path), "%s%s", sysroot, name) ||
	    file_read(path, text, sizeof(text)) < 0)
		return json_null();
	return json_string(text);
}

/* "MemTotal:   123 kB" -> 123 */
static json_t *meminfo(const char *text, const char *name)
{
	const char *at = strstr(text, name);

	return at ? json_integer(strtoll(at + strlen(name), NULL, 10)) : json_null();
}

static json_t *cpu_model(const char *sysroot)
{
	static const char *const keys[] = { "model name", "Model", "Hardware" };
	char path[4096], *text;
	json_t *model = NULL;

	if (path_format(path, sizeof(path), "%s/proc/cpuinfo", sysroot))
		return json_null();
	text = file_read_all(path, NULL);
	for (size_t i = 0; text && !model && i < sizeof(keys) / sizeof(keys[0]); i++) {
		char *at = strstr(text, keys[i]);

		at = at ? strchr(at, ':') : NULL;
		if (!at)
			continue;
		at += 1 + strspn(at + 1, " \t");
		model = json_stringn(at, strcspn(at, "\n"));
	}
	free(text);
	return model ? model : json_null();
}

json_t *environment_line(const char *sysroot, json_t *notes)
{
	static const char *const sysctls[] = {
		"lru_gen_memcg_tail_cache", "lru_gen_memcg_skip_young",
		"lru_gen_memcg_resched",
	};
	char path[4096], dynamic[256] = "", mem[8192] = "", model[64];
	json_t *line = json_object(), *knobs = json_object();
	struct kernel_config config;
	struct utsname uts;

	uname(&uts);
	kernel_config_read(sysroot, &config);
	if (path_format(path, sizeof(path), "%s/proc/meminfo", sysroot) ||
	    file_read(path, mem, sizeof(mem)) < 0)
		mem[0] = '\0';
	if (path_format(path, sizeof(path), "%s/sys/kernel/debug/sched/preempt",
			sysroot) ||
	    file_read(path, dynamic, sizeof(dynamic)) < 0)
		dynamic[0] = '\0';
	preempt_model(&config, uts.version, dynamic, model, sizeof(model));

	json_object_set_new(line, "kind", json_string("environment"));
	json_object_set_new(line, "kernel", json_string(uts.release));
	json_object_set_new(line, "kernel_version", json_string(uts.version));
	json_object_set_new(line, "machine", json_string(uts.machine));
	json_object_set_new(line, "cmdline", text_of(sysroot, "/proc/cmdline"));
	json_object_set_new(line, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
	json_object_set_new(line, "cpu_model", cpu_model(sysroot));
	json_object_set_new(line, "mem_total_kb", meminfo(mem, "MemTotal:"));
	json_object_set_new(line, "swap_total_kb", meminfo(mem, "SwapTotal:"));
	json_object_set_new(line, "nodes",
			    text_of(sysroot, "/sys/devices/system/node/online"));
	json_object_set_new(line, "preemption", json_string(model));
	json_object_set_new(line, "clocksource",
			    text_of(sysroot, "/sys/devices/system/clocksource/clocksource0/current_clocksource"));
	json_object_set_new(line, "lru_gen_enabled",
			    text_of(sysroot, LRU_GEN_ENABLED));
	for (size_t i = 0; i < sizeof(sysctls) / sizeof(sysctls[0]); i++) {
		char name[128], full[128];

		snprintf(name, sizeof(name), "/proc/sys/vm/%s", sysctls[i]);
		snprintf(full, sizeof(full), "vm.%s", sysctls[i]);
		json_object_set_new(knobs, full, text_of(sysroot, name));
	}
	json_object_set_new(line, "sysctls", knobs);
	json_object_set_new(line, "cpu_time", json_string(cputime_method(&config)));
	if (notes)
		json_object_set(line, "notes", notes);
	kernel_config_free(&config);
	return line;
}
