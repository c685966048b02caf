"""What providers put into the copy of a space: models as they are set, without their keys."""

from accounts.platform.export import Table, export_table
from providers.models import AIModel

export_table(Table(model=AIModel))
