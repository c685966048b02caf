"""Outside vector stores: Qdrant, Milvus, OpenSearch beside pgvector, which is the default.

PostgreSQL keeps every vector in any case (`knowledge.models.Embedding`): it is the truth that stores
are filled from, that gives every score, and that is searched where a store does not answer. A store
only names passages; who may see them the database says, about every id. See `docs/vector_stores.md`.
"""
