# The BenchExec tool-info module of Tandem.
#
# From the root of the repository, it is found as a module:
#   PYTHONPATH=. python3 -m benchexec.test_tool_info contrib.benchexec.tandem --tool-directory target/release
# In a benchmark definition it is <benchmark tool="contrib.benchexec.tandem">; copied to benchexec/tools, it is just `tandem`.

import benchexec.result as result
import benchexec.tools.template


class Tool(benchexec.tools.template.BaseTool2):
    """Tandem: analyses for C that work together."""

    def executable(self, tool_locator):
        return tool_locator.find_executable("tandem")

    def name(self):
        return "Tandem"

    def project_url(self):
        return None

    def version(self, executable):
        return self._version_from_tool(executable, line_prefix="tandem")

    def cmdline(self, executable, options, task, rlimits):
        # The first option may be the command; without one, the property decides.
        commands = ("verify", "test", "run")
        options = list(options)
        if options and options[0] in commands:
            command = [options.pop(0)]
        else:
            command = ["test" if self._is_coverage(task) else "verify"]
        if command == ["run"] and options:
            command.append(options.pop(0))  # the plan
        arguments = [executable, *command, *options, "--quiet"]
        if task.property_file:
            arguments += ["--property", task.property_file]
        data_model = self._data_model(task)
        if data_model:
            arguments += ["--data-model", data_model]
        # A little is kept for leaving the results behind.
        cputime = rlimits.cputime_hard or rlimits.cputime
        limits = [rlimits.walltime, cputime / (rlimits.cpu_cores or 1) if cputime else None]
        limit = min((limit for limit in limits if limit), default=None)
        if limit and "--time-limit" not in options:
            arguments += ["--time-limit", f"{max(1, int(limit * 0.97))}s"]
        if rlimits.memory and "--memory-limit" not in options:
            arguments += ["--memory-limit", f"{int(rlimits.memory * 0.95)}B"]
        return [*arguments, task.single_input_file]

    @staticmethod
    def _is_coverage(task):
        return bool(task.property_file) and "coverage" in str(task.property_file)

    @staticmethod
    def _data_model(task):
        options = task.options if isinstance(task.options, dict) else {}
        model = options.get("data_model")
        return model if model in ("ILP32", "LP64") else None

    def determine_result(self, run):
        for line in reversed(run.output):
            line = line.strip()
            if line == "Verdict: TRUE":
                return result.RESULT_TRUE_PROP
            if line == "Verdict: FALSE":
                return result.RESULT_FALSE_REACH
            if line.startswith("Verdict: UNKNOWN"):
                reason = line[len("Verdict: UNKNOWN"):].strip(" ()")
                if reason.startswith("time limit"):
                    return "TIMEOUT"
                if reason.startswith("memory limit"):
                    return "OUT OF MEMORY"
                return f"{result.RESULT_UNKNOWN} ({reason})" if reason else result.RESULT_UNKNOWN
            if line.startswith("Coverage: "):
                return result.RESULT_DONE
        if run.exit_code.value == 2:
            return f"{result.RESULT_ERROR} (bad input)"
        return result.RESULT_ERROR

    def get_value_from_output(self, output, identifier):
        # For example {covered}, {unreachable}, {open}, {goals}, {tests} of the line with the coverage.
        for line in reversed(output):
            if line.startswith("Coverage: "):
                words = line[len("Coverage: "):].replace(",", " ").split()
                for number, word in zip(words, words[1:]):
                    if word.strip() == identifier and number.isdigit():
                        return number
        return None
