# Predictions of workloads beside their runs: a table, the worst, and a histogram.
# awk -v out=DIR -f histogram.awk -f jobs.awk all.csv, of lines WORKLOAD,POLICY,RUN,JOB,SUBMIT,END,TURNAROUND,STATE and of
# runs DATE,VERSION,PROCESSOR; RUN is `predicted` or a number. The measured value of a workload or job is the median of its runs.
BEGIN { FS = "," }
function median(list,   n, i, k, t, v) {
    n = split(list, v, " ")
    for (i = 2; i <= n; ++i) for (k = i; k > 1 && v[k] + 0 < v[k - 1] + 0; --k) { t = v[k]; v[k] = v[k - 1]; v[k - 1] = t }
    return n % 2 ? v[(n + 1) / 2] : (v[n / 2] + v[n / 2 + 1]) / 2
}
function bin_of(error,   bin) {
    bin = int((error + 1000) / 2) - 500
    return bin < -10 ? -10 : bin > 9 ? 9 : bin
}
{
    if (!($1 in policy)) order[++workloads] = $1
    policy[$1] = $2
    if ($8 != "ended") lost[$1] = lost[$1] " job " $4 " " $8 " in run " $3 ";"
    if ($3 == "predicted") {
        if ($6 > makespan[$1]) makespan[$1] = $6
        jobs[$1]++
        job[$1, jobs[$1]] = $4
        turnaround[$1, $4] = $7
    } else {
        if ($6 > last[$1, $3]) last[$1, $3] = $6
        if ($3 > runs) runs = $3
        stamp[$1] = $9 "," $10 "," $11
        measured[$1, $4] = measured[$1, $4] sprintf(" %.4f", $7)
    }
}
END {
    if (workloads == 0 || runs == 0) exit 1
    print "workload,policy,jobs,predicted makespan [s],median [s],error [%],runs [s],date,version,processor" >(out "/runs.csv")
    print "workload,policy,job,predicted turnaround [s],median [s],error [%],runs [s],date,version,processor" >(out "/turnarounds.csv")
    print "workload  policy      jobs  makespan predicted  measured   error   turnarounds: mean |error|  worst"
    for (w = 1; w <= workloads; ++w) {
        name = order[w]
        list = ""
        for (r = 1; r <= runs; ++r) list = list sprintf(" %.4f", last[name, r])
        m = median(list)
        error = 100 * (makespan[name] / m - 1)
        printf "%s,%s,%d,%.4f,%.4f,%.2f,%s,%s\n", name, policy[name], jobs[name], makespan[name], m, error, substr(list, 2), stamp[name] >(out "/runs.csv")
        size = error < 0 ? -error : error
        within += size <= 5
        sum += size
        bins[bin_of(error)]++
        job_sum = worst = 0
        for (j = 1; j <= jobs[name]; ++j) {
            id = job[name, j]
            t = median(measured[name, id])
            e = 100 * (turnaround[name, id] / t - 1)
            printf "%s,%s,%s,%.4f,%.4f,%.2f,%s,%s\n", name, policy[name], id, turnaround[name, id], t, e, substr(measured[name, id], 2), stamp[name] >(out "/turnarounds.csv")
            absolute = e < 0 ? -e : e
            ++count
            job_within += absolute <= 10
            all_sum += absolute
            job_sum += absolute
            if (absolute > (worst < 0 ? -worst : worst)) worst = e
            job_bins[bin_of(e)]++
        }
        printf "%8s  %-10s %5d  %16.2f s %8.2f s %+6.1f %%  %24.1f %% %+7.1f %%%s\n", name, policy[name], jobs[name], makespan[name], m, error, job_sum / jobs[name], worst, lost[name]
    }
    printf "\nmakespans within 5 %%: %d of %d (%.0f %%), mean |error| %.2f %%\n", within, workloads, 100 * within / workloads, sum / workloads
    printf "turnarounds within 10 %%: %d of %d (%.0f %%), mean |error| %.2f %%\n", job_within, count, 100 * job_within / count, all_sum / count
    histogram(out "/histogram.svg", "Turnarounds of jobs: " count " predictions beside medians of " runs " runs", "jobs", job_bins, 10)
    exit sum / workloads > 10 # something is wrong: it is about 1 %
}
