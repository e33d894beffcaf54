#!/usr/bin/env python3
"""Writes dashboard.json, a dashboard of glimpsed for Grafana 9 or later, from the table below.

    python3 daemon/operations/dashboard.py > daemon/operations/dashboard.json

A row of the table is a panel: its title, Grafana's name of its unit, its queries with their legends, and what it tells.
A query's name of a metric says its unit (_seconds, _bytes); a test compares both.
"""

import json

OF = 'job="glimpse",instance="$instance"'

# (title, unit, [(query, legend)], description); a text alone begins a row of panels. {of} picks one daemon.
PANELS = (
    "Learning",
    ("R², recently", "none",
     [("glimpse_recent_r2{of}", "{{instance}}"),
      ("clamp_max(glimpse_recent_r2{of} + glimpse_recent_r2_error{of}, 1)", "upper"),
      ("glimpse_recent_r2{of} - glimpse_recent_r2_error{of}", "lower")],
     "1 is perfect, 0 as good as the labels' mean. The band is one standard error."),
    ("Loss, before learning", "none",
     [("glimpse_recent_loss{of}", "{{instance}}"),
      ("glimpse_recent_loss{of} + glimpse_recent_loss_error{of}", "upper"),
      ("clamp_min(glimpse_recent_loss{of} - glimpse_recent_loss_error{of}, 0)", "lower"),
      ("glimpse_progressive_loss{of}", "of all examples"),
      ("glimpse_label_variance{of}", "of the labels' mean")],
     "Mean squared error. The band is one standard error. Recently far above all examples: the stream changes."),
    ("Error, in the label's unit", "none",
     [("glimpse_recent_rmse{of}", "root mean square, recently"),
      ("glimpse_held_out_recent_rmse{of}", "root mean square, held out"),
      ("glimpse_held_out_mean_absolute_error{of}", "mean absolute, held out"),
      ("glimpse_held_out_median_absolute_error{of}", "median absolute, held out")],
     "Of predictions of numbers; with --hold-out also of records that were not learned from."),
    ("Held out", "none",
     [("glimpse_held_out_recent_r2{of}", "R²"),
      ("glimpse_held_out_recent_class_error{of}", "wrong classes")],
     "With --hold-out. R² of records that were not learned from; of classes, the share that was predicted wrongly."),
    ("Phase", "none",
     [("glimpse_phase{of}", "{{instance}}")],
     "1: attributes are drawn uniformly; 2: by what was learned of them."),
    ("Effective attributes", "none",
     [("glimpse_effective_attributes{of}", "{{instance}}")],
     "How many attributes share the looks: the dimension where draws are uniform."),
    ("Drift alarms, an hour", "none",
     [("increase(glimpse_drift_alarms_total{of}[1h])", "{{instance}}")],
     "With --drift auto: changes of the stream. What was learned before is forgotten."),
    ("Model withheld, frozen", "none",
     [("glimpse_model_withheld{of}", "withheld"), ("glimpse_frozen{of}", "frozen")],
     "1: the newest model is worse than the mean and does not answer; 1: nothing is learned."),
    "Rates and doors",
    ("Examples learned", "cps",
     [("sum by (source) (rate(glimpse_examples_total{of}[5m]))", "{{source}}")],
     "A second, by door."),
    ("Attributes looked at", "cps",
     [("rate(glimpse_attributes_revealed_total{of}[5m])", "{{instance}}")],
     "A second: the looks that are paid for."),
    ("Predictions", "cps",
     [("sum by (source) (rate(glimpse_predictions_total{of}[5m]))", "{{source}}")],
     "A second, by door."),
    ("Bytes read", "Bps",
     [("sum by (source) (rate(glimpse_input_bytes_total{of}[5m]))", "{{source}}")],
     "Of records that were worked through, by door."),
    ("Queue", "bytes",
     [("glimpse_queue_bytes{of}", "{{instance}}"), ("glimpse_queue_limit_bytes{of}", "limit")],
     "What is read and not learned yet. Reading pauses at the limit."),
    ("Connections and named sources", "none",
     [("glimpse_connections{of}", "connections"), ("glimpse_named_sources{of}", "sources")],
     "Open connections on all doors; sources known by name."),
    ("Requests, 99 of 100", "s",
     [("histogram_quantile(0.99, sum by (path, le) (rate(glimpse_http_request_duration_seconds_bucket{of}[5m])))",
       "{{path}}")],
     "From a whole request to its answer."),
    "Errors",
    ("Records not read", "cps",
     [("sum by (source) (rate(glimpse_parse_errors_total{of}[5m]))", "{{source}}")],
     "A second, by door. The log has line and reason."),
    ("Examples skipped, values bounded", "cps",
     [("sum by (reason) (rate(glimpse_examples_skipped_total{of}[5m]))", "skipped: {{reason}}"),
      ("sum by (of) (rate(glimpse_bounded_values_total{of}[5m]))", "bounded: {{of}}"),
      ("rate(glimpse_values_beyond_range_total{of}[5m])", "beyond 1e30")],
     "A second."),
    ("Connections and requests refused", "cps",
     [("sum by (reason) (rate(glimpse_refused_total{of}[5m]))", "{{reason}}")],
     "A second, by reason."),
    ("Ready", "none",
     [("min by (for) (glimpse_ready{of})", "for {{for}}"), ("up{of}", "answers")],
     "1: /readyz answers 200; 1: /metrics is answered."),
    "Durability",
    ("Age of the newest checkpoint", "s",
     [("time() - glimpse_checkpoint_last_success_timestamp_seconds{of}", "{{instance}}")],
     "It grows while nothing comes in: then there is nothing to write."),
    ("Time of a checkpoint", "s",
     [("glimpse_checkpoint_duration_seconds{of}", "whole"),
      ("glimpse_checkpoint_pause_seconds{of}", "learning paused")],
     "Of the newest one."),
    ("Failed checkpoints, an hour", "none",
     [("increase(glimpse_checkpoint_failures_total{of}[1h])", "{{instance}}")],
     "The log and /readyz?for=learning say why."),
    ("Room for checkpoints", "bytes",
     [("glimpse_state_free_bytes{of}", "free"),
      ("glimpse_checkpoint_size_bytes{of}", "a checkpoint")],
     "As of the last attempt to write one."),
    "Buying",
    ("Plans", "none",
     [("glimpse_plans_open{of}", "open"), ("glimpse_plans_limit{of}", "limit")],
     "Given out and not answered."),
    ("What became of plans, an hour", "none",
     [("increase(glimpse_plans_learned_total{of}[1h])", "learned"),
      ("increase(glimpse_plans_not_learned_total{of}[1h])", "nothing to learn"),
      ("increase(glimpse_plans_expired_total{of}[1h])", "expired"),
      ("increase(glimpse_plans_abandoned_total{of}[1h])", "abandoned")],
     "Expired: nobody told their values within --plan-ttl."),
    ("Money", "none",
     [("glimpse_cost_total{of}", "spent"), ("glimpse_cost_reserved{of}", "promised to plans"),
      ("glimpse_cost_limit{of}", "limit")],
     "In the unit of --costs. The buying ends at the limit."),
    "Process",
    ("Memory", "bytes",
     [("process_resident_memory_bytes{of}", "resident"), ("glimpse_learner_bytes{of}", "learner")],
     "In use; of it, the learner's."),
    ("Processor", "none",
     [("rate(process_cpu_seconds_total{of}[5m])", "{{instance}}")],
     "Cores in use, all threads."),
    ("Open descriptors", "none",
     [("process_open_fds{of}", "open"), ("process_max_fds{of}", "limit")],
     "Connections, files and pipes."),
    ("Starts", "dateTimeAsIso",
     [("1000 * process_start_time_seconds{of}", "{{instance}}")],
     "A step: the daemon was started again."),
)
COLUMNS, WIDTH, HEIGHT = 3, 8, 8
LINES = {"drawStyle": "line", "lineWidth": 1, "fillOpacity": 10}
DATASOURCE = {"type": "prometheus", "uid": "${datasource}"}


def overrides(targets):
    """The band between 'upper' and 'lower', without lines of its own."""
    if not any(legend == "upper" for _, legend in targets):
        return []
    quiet = [{"id": "custom.lineWidth", "value": 0}, {"id": "custom.hideFrom",
                                                      "value": {"legend": True, "tooltip": False, "viz": False}}]
    return [{"matcher": {"id": "byName", "options": "lower"}, "properties": quiet},
            {"matcher": {"id": "byName", "options": "upper"},
             "properties": quiet + [{"id": "custom.fillBelowTo", "value": "lower"}]}]


def panel(number, place, title, unit, queries, description):
    targets = [{"datasource": DATASOURCE, "editorMode": "code", "expr": query.replace("{of}", "{" + OF + "}"),
                "legendFormat": legend, "range": True, "refId": chr(ord("A") + i)}
               for i, (query, legend) in enumerate(queries)]
    return {"id": number, "type": "timeseries", "title": title, "description": description, "datasource": DATASOURCE,
            "gridPos": place, "targets": targets,
            "fieldConfig": {"defaults": {"unit": unit, "custom": LINES}, "overrides": overrides(queries)},
            "options": {"legend": {"displayMode": "list", "placement": "bottom", "showLegend": True},
                        "tooltip": {"mode": "multi", "sort": "none"}}}


def panels():
    made, top, column = [], 0, 0
    for row in PANELS:
        number = len(made) + 1
        if isinstance(row, str):
            top, column = top + (HEIGHT if column else 0), 0
            made.append({"id": number, "type": "row", "title": row, "collapsed": False, "panels": [],
                         "gridPos": {"h": 1, "w": COLUMNS * WIDTH, "x": 0, "y": top}})
            top += 1
            continue
        made.append(panel(number, {"h": HEIGHT, "w": WIDTH, "x": column * WIDTH, "y": top}, *row))
        column += 1
        if column == COLUMNS:
            top, column = top + HEIGHT, 0
    return made


def dashboard():
    variable = {"name": "datasource", "label": "Prometheus", "type": "datasource", "query": "prometheus", "hide": 0,
                "refresh": 1, "regex": "", "includeAll": False, "multi": False, "current": {}, "options": []}
    instance = {"name": "instance", "label": "Daemon", "type": "query", "datasource": DATASOURCE, "hide": 0,
                "definition": 'label_values(glimpse_build_info{job="glimpse"}, instance)',
                "query": {"qryType": 1, "query": 'label_values(glimpse_build_info{job="glimpse"}, instance)',
                          "refId": "PrometheusVariableQueryEditor-VariableQuery"},
                "refresh": 2, "regex": "", "sort": 1, "includeAll": False, "multi": False, "current": {}, "options": []}
    starts = {"name": "Starts", "enable": True, "hide": False, "iconColor": "blue", "datasource": DATASOURCE,
              "expr": f"changes(process_start_time_seconds{{{OF}}}[1m]) > 0", "step": "60s", "titleFormat": "start",
              "textFormat": "{{instance}}"}
    alarms = {"name": "Drift", "enable": True, "hide": False, "iconColor": "orange", "datasource": DATASOURCE,
              "expr": f"increase(glimpse_drift_alarms_total{{{OF}}}[1m]) > 0", "step": "60s", "titleFormat": "drift",
              "textFormat": "{{instance}}"}
    return {"uid": "glimpse", "title": "glimpse", "description": "glimpsed: linear models from streams, at few looks.",
            "tags": ["glimpse"], "schemaVersion": 37, "version": 1, "editable": True, "graphTooltip": 1, "timezone": "",
            "refresh": "30s", "time": {"from": "now-6h", "to": "now"}, "links": [], "fiscalYearStartMonth": 0,
            "templating": {"list": [variable, instance]}, "annotations": {"list": [starts, alarms]}, "panels": panels()}


if __name__ == "__main__":
    print(json.dumps(dashboard(), indent=1, ensure_ascii=False))
