"""Registers the enrichments of documents with their jobs, in the order in which they are begun."""

from __future__ import annotations

from knowledge.enrich import questions, summary, tables, tagging
from knowledge.enrich.running import register_enrichment
from knowledge.graph import enrichment as graph
from knowledge.pictures import enrichment as pictures

for _module in (pictures, summary, tables, tagging, questions, graph):
    register_enrichment(_module.ENRICHMENT)
